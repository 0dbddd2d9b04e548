"""The story goes on where it was, and treats both networks alike."""

from dataclasses import replace

from dgmp.demo import make_demo
from dgmp.demo.plan import HINGE
from dgmp.demo.story import _same_pages
from dgmp.describers import describe_pages


def test_both_networks_begin_alike_and_differ_in_the_pooling_alone(demo):
    runs = list(demo.told.runs.values())
    recipes = [run.recipe for run in runs]
    assert recipes[0].model.pooling == "gmp"
    assert recipes[1] == replace(
        recipes[0],
        model=replace(recipes[0].model, pooling="avg", pooling_options={}, normalize=True),
    )
    assert len({run.read()["seed"] for run in runs}) == 1
    assert len({(run.folder / "split.csv").read_text() for run in runs}) == 1


def test_all_describers_are_scored_on_the_same_pages(demo):
    ids = {scores.item_ids for scores in demo.told.scores.values()}
    assert HINGE in demo.told.scores
    assert ids == {tuple(page.id for page in demo.told.pages)}


def test_a_second_demo_repeats_no_training_and_says_the_same(demo):
    states = {
        run.folder / "checkpoint.pt": (run.folder / "checkpoint.pt").stat().st_mtime_ns
        for run in demo.told.runs.values()
    }
    demo.report.unlink()
    again, other = make_demo(demo.report.parent, demo.plan)
    assert again.exists()
    assert {name: scores.map for name, scores in other.scores.items()} == {
        name: scores.map for name, scores in demo.told.scores.items()
    }
    assert {path: path.stat().st_mtime_ns for path in states} == states


def test_the_parts_are_announced_and_timed(demo):
    assert [line.removesuffix(" …") for line in demo.announced] == list(demo.told.seconds)


def test_a_page_that_one_describer_cannot_describe_is_left_out_for_all(demo):
    store, describer = demo.told.unseen, demo.told.describer
    whole, less = (
        describe_pages(pages, describer, read=store.read)
        for pages in (store.pages, store.pages[1:])
    )
    pages, vectors = _same_pages({"whole": whole, "less": less})
    assert pages == list(store.pages[1:])
    assert (vectors["whole"] == vectors["less"]).all()
