"""Surgery on models that pool by a function, with the structure of timm's and torchvision's."""

import copy
import pickle

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.errors import SurgeryError
from dgmp.models import replace_global_pooling
from dgmp.pooling import AveragePool, GeneralizedMaxPool

from .token_models import (
    WIDTH,
    CrossVit,
    DenseNet,
    MNASNet,
    MobileNetV2,
    ShuffleNetV2,
    SqueezeNet,
    TimmClip,
    TimmDistilled,
    TimmEva,
    TimmOwnHead,
    TimmPvt,
    TimmVgg,
    TimmVit,
    TimmVolo,
    Tokens,
    TvInception,
    VisionTransformer,
)

AVERAGING = {
    "vit": (TimmVit, "attn_pool"),
    "eva": (TimmEva, "attn_pool"),
    "mixer": (Tokens, "pooling"),
    "pvt": (TimmPvt, "pooling"),
    "channels-last": (lambda: TimmPvt(channels_last=True), "pooling"),
    "densenet": (DenseNet, "pooling"),
    "mobilenet": (MobileNetV2, "pooling"),
    "mnasnet": (MNASNet, "pooling"),
    "shufflenet": (ShuffleNetV2, "pooling"),
}
TAKING_A_TOKEN = {
    "vit": lambda: TimmVit("token"),
    "eva": lambda: TimmEva("token"),
    "cait": lambda: Tokens("token"),
    "distilled": TimmDistilled,
    "volo": TimmVolo,
    "torchvision": VisionTransformer,
}


def images():
    return torch.randn(2, 3, 8, 10, generator=torch.Generator().manual_seed(0))


@pytest.fixture(params=AVERAGING)
def averaging(request):
    build, place = AVERAGING[request.param]
    torch.manual_seed(0)
    return build().eval(), place


@pytest.fixture(params=TAKING_A_TOKEN)
def taking_a_token(request):
    torch.manual_seed(0)
    return TAKING_A_TOKEN[request.param]().eval()


def seen_by(pooling, model):
    seen = []
    handle = pooling.register_forward_hook(lambda module, given, made: seen.append(given[0]))
    model(images())
    handle.remove()
    return seen


def test_average_in_the_place_of_average_changes_nothing(averaging):
    model, place = averaging
    before = model(images())
    assert_close(replace_global_pooling(model, AveragePool())(images()), before)
    assert isinstance(model.get_submodule(f"{place}.pooling"), AveragePool)


def test_what_is_pooled_are_the_patches_once_and_no_prefix(taking_a_token):
    pooling = AveragePool()
    (seen,) = seen_by(pooling, replace_global_pooling(taking_a_token, pooling))
    assert seen.shape == (2, WIDTH, 20)


def test_every_class_token_becomes_the_pooled_vector():
    model = replace_global_pooling(TimmDistilled().eval(), AveragePool())
    mean = model.forward_features(images())[:, 2:].mean(1)
    assert_close(model(images()), (model.head(mean) + model.head_dist(mean)) / 2)


def test_what_else_a_head_makes_of_the_patches_stays():
    model = replace_global_pooling(TimmVolo().eval(), AveragePool())
    tokens = model.forward_features(images())[:, 1:]
    assert_close(model(images()), model.head(tokens.mean(1)) + 0.5 * model.aux_head(tokens).amax(1))


def test_features_stay_a_map_and_head_of_features_is_forward(averaging):
    model, _ = averaging
    if not hasattr(model, "forward_features"):
        pytest.skip("torchvision has no such method")
    features = model.forward_features(images())
    replace_global_pooling(model, GeneralizedMaxPool())
    assert_close(model.forward_features(images()), features)
    assert_close(model.forward_head(features), model(images()))


def test_the_ridge_learns(averaging):
    model, _ = averaging
    pooling = GeneralizedMaxPool(relative=True, center=WIDTH)
    replace_global_pooling(model.train(), pooling)
    assert pooling.training
    model(images()).square().sum().backward()
    assert all(parameter.grad.any() for parameter in pooling.parameters())


def test_it_may_be_replaced_again(averaging):
    model, _ = averaging
    before = model(images())
    replace_global_pooling(model, GeneralizedMaxPool())
    assert_close(replace_global_pooling(model, AveragePool())(images()), before)


def test_operated_model_is_copied_pickled_and_still_of_its_class(averaging):
    model, _ = averaging
    kind = type(model)
    bias = next(name for name, value in model.named_parameters() if value.shape == (5,))
    replace_global_pooling(model, GeneralizedMaxPool(relative=True))
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert isinstance(twin, kind)
        assert_close(twin(images()), model(images()))
        with torch.no_grad():
            twin.get_parameter(bias).add_(1)  # a copy, not the same weights
        assert not torch.equal(twin(images()), model(images()))


def test_weights_keep_their_names(averaging):
    model, place = averaging
    names = set(model.state_dict())
    replace_global_pooling(model, GeneralizedMaxPool())
    added = set(model.state_dict()) - names
    assert names < set(model.state_dict())
    assert all(name.startswith(place) for name in added)


def test_mode_of_every_part_is_left_as_it_was():
    model = Tokens().train()
    model.norm.eval()
    replace_global_pooling(model, AveragePool())
    assert model.training
    assert model.head.training
    assert not model.norm.training


@pytest.mark.parametrize("model", [TimmVit, Tokens, TimmPvt, DenseNet, ShuffleNetV2])
def test_wrong_center_is_refused_and_the_model_as_it_was(model):
    made = model().eval()
    before, kind = made(images()), type(made)
    with pytest.raises(SurgeryError, match=r"gives 9 values, but .* takes 8"):
        replace_global_pooling(made, GeneralizedMaxPool(center=WIDTH + 1))
    assert type(made) is kind
    assert_close(made(images()), before)


@pytest.mark.parametrize("kind", [TimmOwnHead, TimmClip])
def test_head_that_does_more_than_average_is_refused_and_left_as_it_was(kind):
    model = kind().eval()
    before = model(images())
    with pytest.raises(SurgeryError, match="does more with the map than to average it"):
        replace_global_pooling(model, AveragePool())
    assert type(model) is kind
    assert "pooling" not in dict(model.named_modules())
    assert_close(model(images()), before)


def test_model_of_several_maps_is_refused():
    with pytest.raises(SurgeryError, match=r"CrossVit .* pools several maps"):
        replace_global_pooling(CrossVit(), AveragePool())


def test_head_that_takes_no_such_map_is_refused():
    model = TimmPvt()
    model.head = nn.Linear(WIDTH + 1, 5)
    with pytest.raises(SurgeryError, match="takes no map or tokens"):
        replace_global_pooling(model, AveragePool())


def test_scores_of_classes_are_not_pooled_unless_they_are_named():
    with pytest.raises(SurgeryError, match=r"classifier\.3 of this SqueezeNet pools the scores"):
        replace_global_pooling(SqueezeNet(), AveragePool())
    model = SqueezeNet().eval()
    before = model(images())
    replace_global_pooling(model, AveragePool(), name="classifier.3")
    assert_close(model(images()), before)


def test_single_position_is_not_pooled_unless_it_is_named():
    with pytest.raises(SurgeryError, match="global_pool of this TimmVgg finds a single position"):
        replace_global_pooling(TimmVgg(), AveragePool())
    replace_global_pooling(TimmVgg(), AveragePool(), name="global_pool")


def test_branch_that_looks_at_a_whole_inner_map_is_no_matter():
    model = TvInception().eval()
    before = model(images())
    assert_close(replace_global_pooling(model, AveragePool())(images()), before)


def test_masked_tokens_are_left_out():
    model = replace_global_pooling(TimmEva(), AveragePool())
    tokens = torch.randn(2, 4, WIDTH)
    mask = torch.zeros(2, 1, 1, 4)
    mask[..., 3] = -torch.inf
    assert_close(model.attn_pool(tokens, attn_mask=mask), tokens[:, 1:3].mean(1))
