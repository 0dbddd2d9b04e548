"""The channel mean that is subtracted before pooling."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool
from dgmp.pooling.center import RunningMean
from dgmp.pooling.layer import unit_length

from . import centred


def test_training_subtracts_the_mean_of_the_batch():
    phi = torch.randn(3, 5, 8)
    assert_close(RunningMean(5)(phi, None), phi - phi.mean((0, 2))[:, None])


def test_masked_positions_are_left_out_of_the_mean():
    phi = torch.randn(2, 5, 8)
    weights = (torch.rand(2, 8) > 0.4).float()
    seen = phi.mT[weights.bool()]  # (positions that count, C)
    assert_close(RunningMean(5)(phi, weights), phi - seen.mean(0)[:, None])


def test_the_running_mean_moves_as_in_batch_normalisation():
    ours, theirs = RunningMean(5), nn.BatchNorm1d(5)
    for _ in range(4):
        phi = torch.randn(3, 5, 8) + 2
        ours(phi, None)
        theirs(phi)
    assert_close(ours.running_mean, theirs.running_mean)


def test_eval_subtracts_the_running_mean_and_leaves_it_alone():
    mean = RunningMean(5)
    mean(torch.randn(3, 5, 8), None)
    kept = mean.running_mean.clone()
    phi = torch.randn(1, 5, 2)
    assert_close(mean.eval()(phi, None), phi - kept[:, None])
    assert_close(mean.running_mean, kept)


def test_a_non_finite_batch_does_not_spoil_the_running_mean():
    mean = RunningMean(5)
    mean(torch.full((1, 5, 2), torch.nan), None)
    assert mean.running_mean.isfinite().all()


def test_a_batch_without_any_position_is_no_error():
    mean = RunningMean(5)
    out = mean(torch.zeros(1, 5, 2), torch.zeros(1, 2))
    assert out.isfinite().all()
    assert_close(mean.running_mean, torch.zeros(5))


@pytest.mark.parametrize("training", [True, False])
def test_centred_pooling_is_pooling_of_centred_features(training):
    features = torch.randn(3, 6, 4, 4, dtype=torch.float64).relu()
    layer = GeneralizedMaxPool(0.1, relative=True, center=6).train(training)
    mean = features.mean((0, 2, 3)) if training else torch.zeros(6, dtype=torch.float64)
    expected = generalized_max_pool(features - mean[:, None, None], 0.1, relative=True)
    assert_close(layer(features), unit_length(expected), rtol=1e-6, atol=1e-7)


def test_the_gradient_goes_through_the_mean():
    layer = GeneralizedMaxPool(0.1, relative=True, center=3, normalize=False)
    features = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    weights = torch.rand(2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (features, weights))


def test_two_processes_train_as_one_with_the_whole_batch(tmp_path, forks):
    alone = centred.network()
    centred.train(alone, centred.FEATURES, centred.TARGET)
    done = forks.run(centred.__file__, tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        state = torch.load(tmp_path / f"{rank}.pt")
        for name, value in alone.state_dict().items():
            assert_close(state[name], value, rtol=1e-4, atol=1e-5)
