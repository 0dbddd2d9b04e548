"""Weight files: what loads, what is put right, and which message each bad file gives."""

import pickle
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from torch.testing import assert_close

from dgmp.errors import MissingExtra, WeightsError
from dgmp.models import make_backbone, replace_global_pooling, resnet18, resnet20, resnet50
from dgmp.models.weights import load_weights
from dgmp.pooling.layer import Pooling

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "weights"
SHARED_RESNET50 = SHARED / "resnet50_imagenet_keras_fp16.safetensors"


class ScaledAverage(Pooling):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))

    def pool(self, phi, weights):
        return self.scale * phi.mean(2)


def trained(**options):
    """A small network whose every number differs from its start, statistics included."""
    torch.manual_seed(1)
    model = resnet20(**options)
    model(torch.rand(4, options.get("in_channels", 3), 32, 32))
    return model


def save(state, path):
    if path.suffix == ".safetensors":
        save_file(state, path)
    else:
        torch.save(state, path)
    return path


def assert_same_weights(model, other):
    theirs = other.state_dict()
    for name, value in model.state_dict().items():
        assert_close(value, theirs[name], msg=name)


@pytest.mark.parametrize("suffix", [".pth", ".pt", ".safetensors"])
def test_weights_come_back_from_the_file_they_were_saved_to(tmp_path, suffix):
    source, model = trained(classes=5), resnet20(classes=5)
    report = load_weights(model, save(source.state_dict(), tmp_path / f"net{suffix}"))
    assert_same_weights(model, source)
    assert report.missing == report.unexpected == report.skipped == ()


def test_every_name_is_reported_loaded(tmp_path):
    model = trained()
    report = load_weights(model, save(model.state_dict(), tmp_path / "net.pth"))
    counted = [name for name in model.state_dict() if "num_batches_tracked" not in name]
    assert report.loaded == tuple(counted)


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "_orig_mod.module."])
def test_prefix_of_a_wrapped_model_is_dropped(tmp_path, prefix):
    source, model = trained(), resnet20()
    state = {prefix + name: value for name, value in source.state_dict().items()}
    load_weights(model, save(state, tmp_path / "net.pth"))
    assert_same_weights(model, source)


def test_state_dict_inside_a_checkpoint_is_found(tmp_path):
    source, model = trained(), resnet20()
    checkpoint = {"epoch": 3, "state_dict": source.state_dict(), "best": 0.5}
    load_weights(model, save(checkpoint, tmp_path / "net.pth"))
    assert_same_weights(model, source)


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_half_precision_becomes_the_type_of_the_network(tmp_path, suffix):
    state = {name: value.half() for name, value in trained().state_dict().items()}
    state = {name: value for name, value in state.items() if "num_batches" not in name}
    model = resnet20()
    load_weights(model, save(state, tmp_path / f"half{suffix}"))
    assert model.conv1.weight.dtype == torch.float32
    assert_close(model.conv1.weight.half(), state["conv1.weight"])


def test_batch_counters_may_be_missing(tmp_path):
    source, model = trained(), resnet20()
    state = {k: v for k, v in source.state_dict().items() if not k.endswith("batches_tracked")}
    report = load_weights(model, save(state, tmp_path / "net.pth"))
    assert report.missing == ()
    assert_close(model.bn1.running_var, source.bn1.running_var)


def test_three_channel_stem_summed_equals_three_equal_channels(tmp_path):
    colour, grey = trained().eval(), resnet20(in_channels=1).eval()
    load_weights(grey, save(colour.state_dict(), tmp_path / "colour.pth"))
    page = torch.randn(2, 1, 32, 32)
    assert_close(grey(page), colour(page.expand(-1, 3, -1, -1)))


def test_classifier_is_left_out_where_the_network_has_none(tmp_path):
    source, model = trained(classes=5), resnet20(classes=None)
    report = load_weights(model, save(source.state_dict(), tmp_path / "net.pth"))
    assert report.skipped == ("fc.weight", "fc.bias")
    assert_close(model.layer3[2].bn2.running_mean, source.layer3[2].bn2.running_mean)


def test_classifier_of_other_classes_is_refused(tmp_path):
    path = save(trained(classes=5).state_dict(), tmp_path / "net.pth")
    with pytest.raises(WeightsError, match=r"fc.weight is \(5, 64\) .* wants \(7, 64\).*strict=F"):
        load_weights(resnet20(classes=7), path)


def test_classifier_of_other_classes_stays_at_its_start_where_allowed(tmp_path):
    source, model = trained(classes=5), resnet20(classes=7)
    start = model.fc.weight.clone()
    path = save(source.state_dict(), tmp_path / "net.pth")
    report = load_weights(model, path, strict=False)
    assert report.skipped == ("fc.weight", "fc.bias")
    assert report.missing == ()
    assert_close(model.fc.weight, start)
    assert_close(model.conv1.weight, source.conv1.weight)


def test_missing_classifier_is_refused_unless_allowed(tmp_path):
    path = save(trained().state_dict(), tmp_path / "net.pth")
    with pytest.raises(WeightsError, match=r"missing 2 names \(fc.weight, fc.bias\)"):
        load_weights(resnet20(classes=7), path)
    assert load_weights(resnet20(classes=7), path, strict=False).missing == ("fc.weight", "fc.bias")


def test_pooling_learns_from_its_start_where_the_file_knows_another(tmp_path):
    path = save(trained().state_dict(), tmp_path / "average.pth")
    model = resnet20(pooling=ScaledAverage())
    assert load_weights(model, path).missing == ("pooling.scale",)
    assert model.pooling.scale == 2


def test_pooling_put_in_by_surgery_may_be_missing_too(tmp_path):
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    path = save(model.state_dict(), tmp_path / "net.pth")
    replace_global_pooling(model, ScaledAverage())
    assert load_weights(model, path).missing == ("1.pooling.scale",)


def test_pooling_of_the_file_is_loaded(tmp_path):
    source = resnet20(pooling=ScaledAverage())
    source.pooling.scale.data.fill_(5)
    model = resnet20(pooling=ScaledAverage())
    load_weights(model, save(source.state_dict(), tmp_path / "net.pth"))
    assert model.pooling.scale == 5


def test_refused_file_leaves_the_network_as_it_was(tmp_path):
    state = trained().state_dict()
    del state["layer3.2.bn2.weight"]
    model = resnet20()
    start = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(WeightsError):
        load_weights(model, save(state, tmp_path / "partial.pth"))
    for name, value in model.state_dict().items():
        assert_close(value, start[name])


def test_partial_file_is_refused_with_count_and_first_names(tmp_path):
    state = {k: v for k, v in trained().state_dict().items() if not k.startswith("layer3")}
    with pytest.raises(WeightsError, match=r"missing 30 names \(layer3.0.conv1.weight, .*…\)"):
        load_weights(resnet20(), save(state, tmp_path / "partial.pth"))


def test_partial_file_is_reported_where_allowed(tmp_path):
    state = {k: v for k, v in trained().state_dict().items() if not k.startswith("layer3")}
    report = load_weights(resnet20(), save(state, tmp_path / "partial.pth"), strict=False)
    assert len(report.missing) == 30


def test_unexpected_names_are_refused_unless_allowed(tmp_path):
    state = {**trained().state_dict(), "layer9.weight": torch.ones(1)}
    path = save(state, tmp_path / "more.pth")
    with pytest.raises(WeightsError, match=r"unexpected 1 names \(layer9.weight\)"):
        load_weights(resnet20(), path)
    assert load_weights(resnet20(), path, strict=False).unexpected == ("layer9.weight",)


@pytest.mark.parametrize("strict", [True, False])
def test_another_resnet_is_refused_by_shape(tmp_path, strict):
    path = save(resnet18(classes=None).state_dict(), tmp_path / "resnet18.pth")
    with torch.device("meta"):
        model = resnet50(classes=None)
    message = r"does not fit this ResNet: .*layer1.0.conv1.weight is \(64, 64, 3, 3\) in the file"
    with pytest.raises(WeightsError, match=message):
        load_weights(model, path, strict=strict)


@pytest.mark.parametrize("strict", [True, False])
def test_another_architecture_is_refused_with_what_was_found(tmp_path, strict):
    state = {"patch_embed.weight": torch.ones(3), "fc.weight": torch.ones(5, 64)}
    message = r"none of its names.*The file holds 2 tensors \(patch_embed.weight, fc.weight\)"
    with pytest.raises(WeightsError, match=message):
        load_weights(resnet20(classes=5), save(state, tmp_path / "vit.pth"), strict=strict)


def write(path, content):
    path.write_bytes(content)
    return path


def cut_in_half(path):
    return write(path, path.read_bytes()[: path.stat().st_size // 2])


BAD_FILES = {
    "missing": (lambda at: at / "no.pth", "there is no such file"),
    "folder": (lambda at: at, "is a folder"),
    "empty": (lambda at: write(at / "a.pth", b""), "is empty"),
    "empty-safetensors": (lambda at: write(at / "a.safetensors", b""), "is empty"),
    "suffix": (lambda at: write(at / "a.h5", b"x"), "read from .pth, .pt, .safetensors"),
    "text": (lambda at: write(at / "a.pth", b"hello world\n" * 9), "cannot be read as weights"),
    "zeros": (lambda at: write(at / "a.pth", bytes(999)), "cannot be read as weights"),
    "text-safetensors": (
        lambda at: write(at / "a.safetensors", b"hello world\n" * 9),
        "cannot be read as weights",
    ),
    "truncated": (
        lambda at: cut_in_half(save(trained().state_dict(), at / "a.pth")),
        "cut off, or holds something else than torch.save",
    ),
    "truncated-safetensors": (
        lambda at: cut_in_half(save(trained().state_dict(), at / "a.safetensors")),
        "cut off, or holds something else than safetensors",
    ),
    "whole-model": (lambda at: save(nn.Linear(2, 2), at / "a.pth"), "cannot be read as weights"),
    "pickle": (
        lambda at: write(at / "a.pth", pickle.dumps({"a": object()}, protocol=2)),
        "cannot be read as weights",
    ),
    "tensor": (lambda at: save(torch.ones(3), at / "a.pth"), "holds a Tensor, wanted a state dict"),
    "no-tensors": (
        lambda at: save({"epoch": 3, "best": 0.5}, at / "a.pth"),
        "2 entries, no tensors under epoch, best",
    ),
    "nothing": (lambda at: save({}, at / "a.pth"), "holds nothing"),
    "quantised": (
        lambda at: save(
            {k: v.to(torch.int8) for k, v in trained().state_dict().items()}, at / "a.pt"
        ),
        "stored as torch.int8; quantised",
    ),
    "not-finite": (
        lambda at: save(
            {**trained().state_dict(), "conv1.weight": torch.full((16, 3, 3, 3), torch.nan)},
            at / "a.pth",
        ),
        "conv1.weight holds values that are not finite",
    ),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_file_is_named_and_described(tmp_path, kind):
    make, message = BAD_FILES[kind]
    path = make(tmp_path)
    with pytest.raises(WeightsError, match=message) as caught:
        load_weights(resnet20(), path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not SHARED_RESNET50.exists(), reason="needs the shared ImageNet weights")
def test_shared_resnet50_loads_and_its_strides_matter():
    original = make_backbone("resnet50", weights=SHARED_RESNET50, stride_in_1x1=True).eval()
    wrong = make_backbone("resnet50", weights=SHARED_RESNET50).eval()
    picture = original.standardize(torch.rand(1, 3, 64, 64))
    with torch.no_grad():
        assert not torch.allclose(original(picture), wrong(picture), rtol=0.1)


@pytest.mark.skipif(not SHARED_RESNET50.exists(), reason="needs the shared ImageNet weights")
def test_shared_resnet50_fits_exactly():
    report = load_weights(resnet50(stride_in_1x1=True), SHARED_RESNET50)
    assert report.missing == report.unexpected == report.skipped == ()


def test_safetensors_without_the_package_names_the_extra(tmp_path, monkeypatch):
    path = save(trained().state_dict(), tmp_path / "net.safetensors")
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dgmp\[learning\]'"):
        load_weights(resnet20(), path)


def test_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError

    path = save(trained().state_dict(), tmp_path / "net.pth")
    monkeypatch.setattr(torch, "load", refuse)
    with pytest.raises(WeightsError, match="may not be read by this user"):
        load_weights(resnet20(), path)
