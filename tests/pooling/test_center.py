"""The channel mean that is subtracted before pooling."""

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.testing import assert_close

from dgmp.pooling import GeneralizedMaxPool, generalized_max_pool
from dgmp.pooling.center import RunningMean
from dgmp.pooling.layer import unit_length


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


FEATURES = torch.randn(4, 6, 5, 5, generator=torch.Generator().manual_seed(0)).relu()
TARGET = torch.randn(4, 6, generator=torch.Generator().manual_seed(1))


def network() -> nn.Module:
    torch.manual_seed(2)
    pooling = GeneralizedMaxPool(0.1, relative=True, center=6)
    return nn.Sequential(nn.Conv2d(6, 6, 1), pooling)


def train(model: nn.Module, features: torch.Tensor, target: torch.Tensor) -> None:
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(3):
        optimiser.zero_grad()
        (model(features) * target).sum(1).mean().backward()
        optimiser.step()


def one_of_two(rank: int, meeting: str, results) -> None:
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    model = DistributedDataParallel(network())
    part = slice(2 * rank, 2 * rank + 2)
    train(model, FEATURES[part], TARGET[part])
    state = {name: value.tolist() for name, value in model.module.state_dict().items()}
    results.put((rank, state))
    dist.destroy_process_group()


def test_two_processes_train_as_one_with_the_whole_batch(tmp_path):
    alone = network()
    train(alone, FEATURES, TARGET)
    meeting = (tmp_path / "meeting").as_uri()  # a free port may be taken by another test
    results = mp.get_context("spawn").SimpleQueue()
    mp.spawn(one_of_two, args=(meeting, results), nprocs=2)
    for _ in range(2):
        _, state = results.get()
        for name, value in alone.state_dict().items():
            assert_close(torch.tensor(state[name], dtype=value.dtype), value, rtol=1e-4, atol=1e-5)
