"""The layout of the map: its parts against slow, obvious versions, and what it keeps together."""

import numpy as np
import pytest

from dgmp.web.mapping.embedding import (
    affinities,
    embed,
    gradient,
    grid_repulsion,
    neighbours,
    summed_repulsion,
)


def hands(number, pages, dim=32, seed=0):
    """Unit vectors of hands that differ, and the number of each page's hand."""
    generator = np.random.default_rng(seed)
    centres = np.repeat(generator.standard_normal((number, dim)), pages, axis=0)
    vectors = centres + 0.7 * generator.standard_normal(centres.shape)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype(np.float32), np.repeat(np.arange(number), pages)


def pushed(points):
    """Every point by every other."""
    away = points[:, None] - points[None]
    near = 1 / (1 + (away**2).sum(axis=2))
    np.fill_diagonal(near, 0)
    return (near[..., None] ** 2 * away).sum(axis=1) / near.sum()


@pytest.mark.parametrize("spread", [1e-4, 1.0, 6.0])
def test_the_grid_pushes_as_every_point_does_alone(spread):
    points = spread * np.random.default_rng(0).uniform(-1, 1, (300, 2))
    exact = pushed(points)
    assert np.abs(grid_repulsion(points) - exact).max() < 0.02 * np.abs(exact).max()
    np.testing.assert_allclose(summed_repulsion(points), exact, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("repulsion", [grid_repulsion, summed_repulsion])
def test_pushes_cancel_out(repulsion):
    points = np.random.default_rng(1).normal(0, 5, (200, 2))
    pushes = repulsion(points)
    assert np.abs(pushes.sum(axis=0)).max() < 1e-6 * np.abs(pushes).sum()


@pytest.mark.parametrize("repulsion", [grid_repulsion, summed_repulsion])
def test_moving_all_points_changes_nothing(repulsion):
    points = np.random.default_rng(2).normal(0, 2, (100, 2))
    moved = repulsion(points + np.array([3.0, -7.0]))
    np.testing.assert_allclose(moved, repulsion(points), rtol=1e-6, atol=1e-9)


def test_affinities_are_symmetric_and_sum_to_one():
    vectors, _ = hands(20, 10)
    joint = affinities(*neighbours(vectors, vectors, 45, itself=True))
    assert abs(joint - joint.T).max() < 1e-15
    assert joint.sum() == pytest.approx(1)
    assert joint.diagonal().max() == 0


def test_equal_pages_are_no_obstacle():
    vectors = np.repeat(hands(1, 1)[0], 60, axis=0)
    assert np.isfinite(embed(vectors)).all()


def test_two_pages_alone_are_in_balance_wherever_they_lie():
    from scipy.sparse import csr_matrix

    joint = csr_matrix(np.array([[0, 0.5], [0.5, 0]]))
    near, far = (np.array([[0.0, 0.0], [x, 0.0]]) for x in (0.1, 9.0))
    # Two points are all there is: w/Z is ½ wherever they lie, and nothing is to be gained.
    assert np.abs(gradient(joint, near)).max() < 1e-12
    assert np.abs(gradient(joint, far)).max() < 1e-12


def test_neighbours_are_the_nearest():
    vectors, _ = hands(30, 20)
    places, cosines = neighbours(vectors, vectors, 7, itself=True)
    every = vectors @ vectors.T
    np.fill_diagonal(every, -2)
    np.testing.assert_allclose(
        np.sort(cosines, axis=1), np.sort(every, axis=1)[:, -7:], rtol=1e-5, atol=1e-6
    )
    assert not (places == np.arange(len(vectors))[:, None]).any()


def test_pages_of_one_hand_lie_together_and_the_map_is_always_the_same():
    vectors, hand = hands(12, 15)
    points = embed(vectors)
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :5]
    assert (hand[nearest] == hand[:, None]).mean() > 0.95
    np.testing.assert_array_equal(points, embed(vectors))


@pytest.mark.parametrize("pages", range(7))
def test_a_few_pages_have_a_place_each(pages):
    points = embed(hands(max(pages, 1), 1)[0][:pages])
    assert points.shape == (pages, 2)
    assert np.isfinite(points).all()


def test_progress_is_told():
    told = []
    embed(hands(4, 5)[0], lambda name, total: told.append((name, total)) or (lambda n: None))
    assert [name for name, _ in told] == ["finding neighbours", "laying out the map"]
