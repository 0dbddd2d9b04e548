"""Recipes: the paper's values, overrides, and files of a user's own."""

import json

import pytest

from dgmp.errors import DgmpError, UnknownName
from dgmp.files import from_plain, to_plain
from dgmp.training import RECIPES, Learning, Recipe, find_recipe, override, with_pooling


def test_the_writer_recipe_has_the_values_of_the_paper():
    recipe = RECIPES["writer-paper"]
    assert (recipe.model.backbone, recipe.model.pooling) == ("resnet50", "gmp")
    assert recipe.model.build().pooling.ridge.item() == pytest.approx(1e3)
    assert (recipe.input.patch, recipe.input.side, recipe.input.stride) == (400, 400, 256)
    assert recipe.input.min_edges == 2000
    assert (recipe.batch, recipe.classes_per_batch, recipe.margin) == (56, 14, 0.1)
    assert (recipe.epochs, recipe.decay_from) == (300, 150)
    assert (recipe.learning_rate, recipe.weight_decay) == (2e-4, 1e-5)
    assert (recipe.validation, recipe.mining, recipe.soft_margin) == (40, "hard", False)


def test_patches_at_keypoints_are_for_learning_without_labels_alone():
    with pytest.raises(DgmpError, match="is for dgmp learn"):
        override(RECIPES["writer-small"], ["input.view=keypoints"])


def test_a_value_that_its_record_refuses_is_named():
    with pytest.raises(DgmpError, match="most: octaves, layers and most must be positive"):
        override(Learning(), ["sift.most=0"])


@pytest.mark.parametrize(
    ("name", "epochs", "decay_from"), [("script16-paper", 120, 30), ("script17-paper", 65, 16)]
)
def test_the_script_recipes_have_the_values_of_the_paper(name, epochs, decay_from):
    recipe = RECIPES[name]
    assert (recipe.epochs, recipe.decay_from) == (epochs, decay_from)
    assert (recipe.input.view, recipe.input.side, recipe.batch) == ("page", 384, 28)
    assert recipe.model.last_stride == 1
    assert recipe.model.pooling_options == {"ridge": 5000.0}
    assert (recipe.learning_rate, recipe.weight_decay) == (4e-4, 1e-5)
    how = recipe.augmentation
    assert (how.area, how.aspect, how.rotation) == ((0.08, 1.0), (0.75, 1.33), 5.0)
    assert (how.brightness, how.contrast) == (0.1, 0.1)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_survives_json(name):
    recipe = RECIPES[name]
    stored = json.loads(json.dumps(to_plain(recipe)))
    assert from_plain(stored, Recipe, "run.json") == recipe


def test_single_values_are_changed():
    changed = override(
        RECIPES["writer-small"],
        [
            "epochs=3",
            "learning_rate=1",
            "model.backbone=resnet18",
            "model.last_stride=1",
            "model.pooling_options.ridge=5.0",
            "augmentation.area=(0.5, 1.0)",
            "input.preparation.canonical=none",
            "soft_margin=true",
        ],
    )
    assert (changed.epochs, changed.learning_rate, changed.soft_margin) == (3, 1.0, True)
    assert isinstance(changed.learning_rate, float)
    assert (changed.model.backbone, changed.model.last_stride) == ("resnet18", 1)
    assert changed.model.pooling_options["ridge"] == 5.0
    assert changed.augmentation.area == (0.5, 1.0)
    assert changed.input.preparation.canonical is None


def test_values_that_belong_together_are_changed_together():
    changed = override(RECIPES["writer-small"], ["batch=8", "classes_per_batch=4"])
    assert (changed.batch, changed.classes_per_batch) == (8, 4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("epocs=3", "did you mean 'epochs'"),
        ("model.pooling_option.ridge=3", "did you mean 'pooling_options'"),
        ("epochs", "write name=value"),
        ("epochs=many", "epochs must be int, got 'many'"),
        ("epochs=2.5", "epochs must be int"),
        ("epochs=0", "epochs must be at least 1"),
        ("model=resnet18", "model.backbone"),
        ("margin.size=3", "margin has no parts"),
        ("task=author", "task must be writer or script"),
        ("mining=soft", "mining must be hard or published"),
        ("batch=13", "multiple of classes_per_batch"),
        ("input.view=words", "no view called 'words'"),
        ("chunk=0", "chunk must be at least 1"),
        ("margin=-1", "margin"),
    ],
)
def test_wrong_changes_say_what_would_be_right(change, words):
    with pytest.raises(DgmpError, match=words):
        override(RECIPES["writer-small"], [change])


def test_a_misspelt_recipe_offers_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'writer-small'"):
        find_recipe("writer-smal")


def test_a_recipe_of_ones_own_is_a_python_file(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from dataclasses import replace\n"
        "from dgmp.training import RECIPES\n"
        "RECIPE = replace(RECIPES['writer-small'], epochs=7)\n"
    )
    assert find_recipe(str(file)).epochs == 7


@pytest.mark.parametrize(
    ("code", "words"), [("RECIPE = 3", "must define RECIPE"), ("1 / 0", "ZeroDivisionError")]
)
def test_a_wrong_recipe_file_is_refused(tmp_path, code, words):
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(DgmpError, match=words):
        find_recipe(str(tmp_path / "mine.py"))


def test_a_missing_recipe_file_is_refused(tmp_path):
    with pytest.raises(DgmpError, match="no such recipe file"):
        find_recipe(str(tmp_path / "other.py"))


def test_another_pooling_does_not_keep_the_options_of_the_one_before():
    changed = with_pooling(RECIPES["writer-small"], "avg")
    assert (changed.model.pooling, changed.model.pooling_options) == ("avg", {})


@pytest.mark.parametrize("pooling", [None, "gmp"])
def test_the_same_pooling_keeps_its_options(pooling):
    assert with_pooling(RECIPES["writer-small"], pooling) == RECIPES["writer-small"]


SENSELESS = [
    "input.preparation.canonical=-5", "input.preparation.canonical=nan", "augmentation.crop=-1",
    "augmentation.crop=0", "augmentation.zoom=-5", "augmentation.area=(2, 1)",
    "augmentation.area=(0.5, 2)", "augmentation.aspect=(0, 1)", "augmentation.rotation=nan",
    "decay_from=-1", "warmup_steps=-1", "weight_decay=-1", "learning_rate=nan", "learning_rate=inf",
    "temperature=0", "pooling_rate=-1", "margin=nan",
]  # fmt: skip


@pytest.mark.parametrize("change", SENSELESS)
def test_a_value_without_sense_is_refused_where_it_is_declared(change):
    name = change.partition("=")[0].rpartition(".")[2]
    with pytest.raises(DgmpError, match=name):
        override(RECIPES["writer-small"], [change])
