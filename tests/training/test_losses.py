"""Triplets and their losses, against loops."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from dgmp.training import RECIPES
from dgmp.training.losses import make_loss

LABELS = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2])


@pytest.fixture
def outputs():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(8, 5, generator=generator, dtype=torch.float64)


def apart(a, b):
    return (a - b).square().sum().sqrt()


def test_hard_mining_is_the_loop_over_anchors(recipe, outputs):
    expected = []
    for anchor in range(8):
        same = [i for i in range(8) if LABELS[i] == LABELS[anchor] and i != anchor]
        other = [i for i in range(8) if LABELS[i] != LABELS[anchor]]
        farthest = max(apart(outputs[anchor], outputs[i]) for i in same)
        nearest = min(apart(outputs[anchor], outputs[i]) for i in other)
        expected.append((farthest - nearest + 0.3).clamp_min(0))
    value, active = make_loss(replace(recipe, margin=0.3, mining="hard"))(outputs, LABELS)
    assert_close(value, torch.stack(expected).mean())
    assert_close(active.item(), sum(float(e > 0) for e in expected) / 8)


def test_the_soft_margin_is_softplus(recipe, outputs):
    hard, _ = make_loss(replace(recipe, mining="hard", margin=50.0))(outputs, LABELS)
    soft, _ = make_loss(replace(recipe, mining="hard", margin=50.0, soft_margin=True))(
        outputs, LABELS
    )
    assert_close(soft, hard, rtol=1e-6, atol=1e-6)  # far from zero they are the same
    near, _ = make_loss(replace(recipe, mining="hard", margin=0.0, soft_margin=True))(
        outputs, LABELS
    )
    assert near > make_loss(replace(recipe, mining="hard", margin=0.0))(outputs, LABELS)[0]


def test_published_mining_is_the_loop_over_positive_pairs(recipe, outputs):
    costs = []
    for anchor in range(8):
        other = [i for i in range(8) if LABELS[i] != LABELS[anchor]]
        nearest = min(apart(outputs[anchor], outputs[i]) ** 2 for i in other)
        for positive in range(8):
            if positive != anchor and LABELS[positive] == LABELS[anchor]:
                cost = apart(outputs[anchor], outputs[positive]) ** 2 - nearest + 0.3
                costs.append(cost.clamp_min(0))
    active = [cost for cost in costs if cost > 0]
    value, share = make_loss(replace(recipe, margin=0.3, mining="published"))(outputs, LABELS)
    assert_close(value, torch.stack(active).mean())
    assert_close(share.item(), len(active) / len(costs))


def test_all_pairs_meet_all_negatives(recipe, outputs):
    costs = []
    for anchor in range(8):
        negatives = [outputs[i] for i in range(8) if LABELS[i] != LABELS[anchor]]
        for positive in range(8):
            if positive != anchor and LABELS[positive] == LABELS[anchor]:
                near = apart(outputs[anchor], outputs[positive])
                gaps = torch.stack([near - apart(outputs[anchor], n) for n in negatives])
                costs.append((1 + (gaps / 0.2).exp().sum()).log())
    value, _ = make_loss(replace(recipe, mining="all", temperature=0.2))(outputs, LABELS)
    assert_close(value, torch.stack(costs).mean())


@pytest.mark.parametrize("mining", ["hard", "published", "all"])
def test_the_gradient_of_triplets_is_right(recipe, outputs, mining):
    loss = make_loss(replace(recipe, margin=0.3, mining=mining))
    outputs.requires_grad_()
    assert torch.autograd.gradcheck(lambda e: loss(e, LABELS)[0], outputs)


@pytest.mark.parametrize("mining", ["hard", "published", "all"])
def test_a_batch_of_one_writer_costs_nothing(recipe, outputs, mining):
    outputs.requires_grad_()
    value, _ = make_loss(replace(recipe, mining=mining))(outputs, torch.zeros(8, dtype=torch.long))
    value.backward()
    assert value.item() == 0
    assert not outputs.grad.any()


def test_scripts_are_scored_by_cross_entropy(recipe, outputs):
    labels = torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])
    value, wrong = make_loss(replace(recipe, task="script"))(outputs, labels)
    log_shares = outputs - outputs.exp().sum(1, keepdim=True).log()
    assert_close(value, -log_shares[range(8), labels].mean())
    assert_close(wrong.item(), (outputs.argmax(1) != labels).double().mean().item())


def ordered(outputs, label, weight=1.0):
    recipe = replace(RECIPES["script-small"], order_weight=weight)
    plain = replace(recipe, order_weight=None)
    values = [
        make_loss(one)(torch.tensor([outputs]), torch.tensor([label]))[0] for one in (recipe, plain)
    ]
    return float(values[0] - values[1])


def test_a_class_further_off_costs_more_where_classes_have_an_order():
    far, near, right = ([0.0] * 5 for _ in range(3))
    far[4] = near[1] = right[0] = 50.0
    costs = [ordered(outputs, 0) for outputs in (right, near, far)]
    assert costs == pytest.approx([0, 1, 4], abs=1e-4)  # classes that the mass is moved by
    assert ordered(far, 0, weight=3.0) == pytest.approx(12, abs=1e-4)


def test_the_distance_of_ordered_classes_is_the_one_of_their_sums():
    outputs, label = [0.3, -1.0, 0.7], 1
    below = torch.tensor(outputs).softmax(0).cumsum(0)
    expected = (below - torch.tensor([0.0, 1.0, 1.0])).square().sum()
    assert ordered(outputs, label) == pytest.approx(float(expected), abs=1e-5)
