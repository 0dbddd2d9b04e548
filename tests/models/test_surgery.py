"""Surgery on models with the structure of torchvision's and timm's."""

import copy

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.errors import SurgeryError
from dgmp.models import make_backbone, replace_global_pooling
from dgmp.models.stand_ins import StandIn
from dgmp.pooling import AveragePool, Pooling

from .foreign_models import (
    WIDTH,
    SelectAdaptivePool2d,
    TimmConvNextHead,
    TimmHead,
    TimmNested,
    TimmResNet,
    TvConvNext,
    TvDenseNet,
    TvEfficientNet,
    TvMaxVit,
    TvResNet,
    TwoPoolings,
    Video,
    Wrapped,
)


class Peak(Pooling):
    """Maximum times a learned scale, for a stated width."""

    def __init__(self, channels=None, out_channels=None):
        super().__init__()
        self.channels, self.out_channels = channels, out_channels
        self.scale = nn.Parameter(torch.ones(()))

    def pool(self, phi, weights):
        return self.scale * phi.amax(2)


MODELS = {
    "torchvision-resnet": (TvResNet, "avgpool"),
    "torchvision-efficientnet": (TvEfficientNet, "avgpool"),
    "torchvision-convnext": (TvConvNext, "avgpool"),
    "torchvision-maxvit": (TvMaxVit, "classifier.0"),
    "torchvision-video": (Video, "avgpool"),
    "timm-resnet": (TimmResNet, "global_pool"),
    "timm-head": (lambda: TimmNested(TimmHead()), "head.global_pool"),
    "timm-convnext": (lambda: TimmNested(TimmConvNextHead()), "head.global_pool"),
    "timm-swin": (lambda: TimmNested(TimmHead(channels_last=True), True), "head.global_pool"),
    "wrapped": (lambda: Wrapped(TvEfficientNet()), "backbone.avgpool"),
    "sequential": (
        lambda: nn.Sequential(nn.Conv2d(3, WIDTH, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        "1",
    ),
    "ours": (lambda: make_backbone("resnet20", classes=5), "pooling"),
}


def images():
    return torch.randn(2, 3, 9, 11, generator=torch.Generator().manual_seed(0))


@pytest.fixture(params=MODELS)
def case(request):
    build, place = MODELS[request.param]
    torch.manual_seed(0)
    return build().eval(), place


def test_average_in_the_place_of_average_changes_nothing(case):
    model, _ = case
    before = model(images())
    assert_close(replace_global_pooling(model, AveragePool())(images()), before)


def test_only_the_global_pooling_is_replaced(case):
    model, place = case
    kinds = {name: type(module) for name, module in model.named_modules()}
    pooling = Peak()
    replace_global_pooling(model, pooling)
    changed = [name for name, m in model.named_modules() if kinds.get(name) is not type(m)]
    assert pooling in model.modules()
    assert all(name == place or name.startswith(f"{place}.") for name in changed)


def test_it_works_in_place_and_returns_the_model(case):
    model, _ = case
    assert replace_global_pooling(model, Peak()) is model


def test_it_may_be_replaced_again(case):
    model, _ = case
    before = model(images())
    replace_global_pooling(model, Peak())
    assert_close(replace_global_pooling(model, AveragePool())(images()), before)


def test_new_pooling_learns_is_copied_and_saved(case):
    model, _ = case
    pooling = Peak()
    replace_global_pooling(model, pooling)
    model(images()).square().sum().backward()
    assert pooling.scale.grad is not None
    pooling.scale.data.fill_(3)
    twin = copy.deepcopy(model)
    assert_close(twin(images()), model(images()))
    pooling.scale.data.fill_(1)
    model.load_state_dict(twin.state_dict())
    assert pooling.scale == 3


def test_new_pooling_follows_train_and_eval(case):
    model, _ = case
    pooling = Peak()
    replace_global_pooling(model, pooling)
    assert not pooling.training  # the model was in eval
    assert model.train() is model
    assert pooling.training


def test_channels_last_map_keeps_its_layout_unflattened():
    head = nn.Sequential(SelectAdaptivePool2d(flatten=False, channels_last=True))
    features = torch.randn(2, 4, 5, WIDTH)
    before = head(features)
    assert before.shape == (2, 1, 1, WIDTH)
    assert_close(replace_global_pooling(head, AveragePool())(features), before)


def test_same_module_under_two_names_is_replaced_under_both():
    model = TvResNet()
    model.alias = model.avgpool
    replace_global_pooling(model, Peak())
    assert model.alias is model.avgpool
    assert isinstance(model.avgpool, StandIn)


def test_classifier_of_timm_models_stays_reachable():
    model = replace_global_pooling(TimmResNet(), Peak())
    assert model.get_classifier() is model.fc


def test_timm_heads_may_ask_the_stand_in_what_they_ask_their_own():
    stand_in = replace_global_pooling(TimmResNet(), Peak(WIDTH, WIDTH)).global_pool
    assert not stand_in.is_identity()
    assert stand_in.feat_mult() == 1
    assert isinstance(stand_in.pool_type, str)


def test_name_chooses_among_several():
    model = TwoPoolings()
    replace_global_pooling(model, Peak(), name="right")
    assert isinstance(model.right, StandIn)
    assert isinstance(model.left, nn.AdaptiveAvgPool2d)


def test_name_reaches_into_blocks():
    model = replace_global_pooling(TvEfficientNet(), Peak(), name="features.1.avgpool")
    assert isinstance(model.features[1].avgpool, StandIn)


def test_several_candidates_are_listed():
    with pytest.raises(SurgeryError, match="say which by name=: left, right"):
        replace_global_pooling(TwoPoolings(), Peak())


@pytest.mark.parametrize("blocks", [1, 2])
def test_squeeze_and_excitation_is_never_taken(blocks):
    with pytest.raises(SurgeryError, match=r"by a function inside .*by name=: features.1.avgpool"):
        replace_global_pooling(TvDenseNet(blocks), Peak())


def test_pooling_before_further_convolutions_is_never_taken():
    image_level = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(WIDTH, 4, 1))
    model = nn.Sequential(nn.Conv2d(3, WIDTH, 3), image_level, nn.Conv2d(4, 2, 3, padding=1))
    with pytest.raises(SurgeryError, match="no global pooling module outside its blocks"):
        replace_global_pooling(model, Peak())


def test_functional_pooling_is_explained():
    with pytest.raises(SurgeryError, match=r"TvDenseNet has no .* function .* pool them yourself"):
        replace_global_pooling(TvDenseNet(), Peak())


def test_pooling_to_several_positions_is_not_global():
    with pytest.raises(SurgeryError, match=r"avgpool pools to \(7, 7\), which keeps positions"):
        replace_global_pooling(TvResNet(size=(7, 7)), Peak())


def test_model_that_passes_its_map_through_has_no_pooling():
    with pytest.raises(SurgeryError, match="not at all"):
        replace_global_pooling(TimmResNet(pool_type=""), Peak())


def test_unknown_name_offers_the_nearest():
    with pytest.raises(SurgeryError, match="no module called 'avgpol'; did you mean avgpool"):
        replace_global_pooling(TvResNet(), Peak(), name="avgpol")


def test_name_of_something_else_is_refused():
    with pytest.raises(SurgeryError, match="conv1 is no global pooling: Conv2d"):
        replace_global_pooling(TvResNet(), Peak(), name="conv1")


def test_class_in_the_place_of_a_module_is_refused():
    with pytest.raises(ValueError, match="must be a module"):
        replace_global_pooling(TvResNet(), Peak)


@pytest.mark.parametrize(
    ("model", "layer"),
    [(TvResNet, "fc"), (TvEfficientNet, "classifier.1"), (TvConvNext, "classifier.0")],
)
def test_pooled_width_must_fit_the_next_layer(model, layer):
    message = f"Peak in the place of avgpool gives 16 values, but {layer} after it takes 8"
    with pytest.raises(SurgeryError, match=message):
        replace_global_pooling(model(), Peak(WIDTH, 2 * WIDTH))


def test_wider_pooling_is_welcome_once_the_next_layer_is_as_wide():
    model = TvResNet()
    model.fc = nn.Linear(2 * WIDTH, 5)
    replace_global_pooling(model, Peak(WIDTH, 2 * WIDTH))


def test_narrow_pooling_is_refused_where_two_were_laid_side_by_side():
    with pytest.raises(SurgeryError, match="gives 8 values, but fc after it takes 16"):
        replace_global_pooling(TimmResNet("catavgmax"), Peak())


def test_plain_pooling_is_welcome_once_the_layer_of_a_double_one_is_narrowed():
    model = TimmResNet("catavgmax")
    model.fc = nn.Linear(WIDTH, 5)
    assert replace_global_pooling(model, Peak())(images()).shape == (2, 5)


def test_plain_pooling_is_refused_in_the_place_of_a_wider_one():
    model = TvResNet()
    model.fc = nn.Linear(2 * WIDTH, 5)
    replace_global_pooling(model, Peak(WIDTH, 2 * WIDTH))
    with pytest.raises(SurgeryError, match="gives 8 values, but fc after it takes 16"):
        replace_global_pooling(model, Peak())


@pytest.mark.parametrize("out_channels", [None, 4])
def test_pooling_built_for_other_channels_is_refused(out_channels):
    with pytest.raises(SurgeryError, match="gives 4 values, but fc after it takes 8"):
        replace_global_pooling(TvResNet(), Peak(4, out_channels))


def test_pooling_built_for_other_channels_is_refused_though_its_vector_fits():
    with pytest.raises(SurgeryError, match="built for 4 channels, but the map that avgpool pools"):
        replace_global_pooling(TvResNet(), Peak(4, WIDTH))


def test_our_backbones_know_the_channels_of_their_map():
    with pytest.raises(SurgeryError, match=r"built for 4 channels, .* has 64"):
        replace_global_pooling(make_backbone("resnet20"), Peak(4, 4))


def test_refused_model_is_as_it_was():
    model = TvResNet()
    pool = model.avgpool
    with pytest.raises(SurgeryError):
        replace_global_pooling(model, Peak(4))
    assert model.avgpool is pool


@pytest.mark.parametrize("kind", [TvResNet, TvConvNext, TvEfficientNet, TimmResNet, Video])
def test_torch_fx_traces_a_network_around_its_new_pooling(kind):
    model = kind().eval()
    images = torch.randn(2, 3, 16, 16)
    replace_global_pooling(model, AveragePool())
    assert_close(torch.fx.symbolic_trace(model)(images), model(images))
