"""The gradient in chunks is the gradient in one piece."""

import copy

import pytest
import torch
from lightning_fabric import Fabric
from torch import nn
from torch.testing import assert_close

from dgmp.errors import DgmpError
from dgmp.models import ModelSpec
from dgmp.training.gradient import backward_in_chunks, paused_statistics
from dgmp.training.losses import make_loss

LABELS = torch.arange(4).repeat_interleave(2)


@pytest.fixture
def fabric():
    return Fabric(accelerator="cpu", devices=1)


def network(frozen):
    torch.manual_seed(0)
    options = {"relative": True}
    model = ModelSpec("resnet20", "gmp", options, stem_stride=2).build().double().train()
    if frozen:
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
    return model


def images():
    return torch.randn(
        8, 1, 32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1)
    )


def gradients(model, loss, fabric, chunk):
    model = copy.deepcopy(model)
    value, active = backward_in_chunks(fabric.setup(model), images(), LABELS, loss, fabric, chunk)
    return value, active, {name: p.grad for name, p in model.named_parameters()}, model


@pytest.mark.parametrize("chunk", [1, 3, 4, 8])
def test_chunks_give_the_gradient_of_one_piece_where_normalisation_is_frozen(recipe, fabric, chunk):
    model, loss = network(frozen=True), make_loss(recipe)
    outputs = model(images())
    expected, _ = loss(outputs, LABELS)
    expected.backward()
    value, _, found, _ = gradients(model, loss, fabric, chunk)
    assert_close(value, expected.detach(), rtol=1e-10, atol=0)
    for name, parameter in model.named_parameters():
        assert_close(found[name], parameter.grad, rtol=1e-7, atol=1e-10, msg=name)


def test_chunks_normalise_by_their_own_statistics_and_count_them_once(recipe, fabric):
    model, loss = network(frozen=False), make_loss(recipe)
    by_hand = copy.deepcopy(model)
    outputs = torch.cat([by_hand(part) for part in images().split(4)])
    expected, _ = loss(outputs, LABELS)
    expected.backward()
    value, _, found, chunked = gradients(model, loss, fabric, 4)
    assert_close(value, expected.detach(), rtol=1e-10, atol=0)
    for name, parameter in by_hand.named_parameters():
        assert_close(found[name], parameter.grad, rtol=1e-7, atol=1e-10, msg=name)
    for (name, here), there in zip(by_hand.named_buffers(), chunked.buffers(), strict=True):
        assert_close(here, there, msg=name)


def test_paused_statistics_stay_as_they_were():
    model = network(frozen=False)
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with torch.no_grad(), paused_statistics(model):
        model(images())
    for name, buffer in model.named_buffers():
        assert_close(buffer, before[name])


@pytest.mark.parametrize("chunk", [None, 2])
def test_a_loss_that_is_no_number_stops_the_training(recipe, fabric, chunk):
    model = network(frozen=True)
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    with pytest.raises(DgmpError, match=r"the loss is nan.*learning_rate"):
        gradients(model, make_loss(recipe), fabric, chunk)
