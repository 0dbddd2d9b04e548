"""Clusters of local descriptors, and which of them are too ambiguous to learn from."""

import numpy as np
import pytest

from dgmp.classical import fit_hard_whitening, surrogate_classes
from dgmp.classical.clustering import cluster_centres, nearest_and_ratio


def descriptors(seed=0, count=400):
    generator = np.random.default_rng(seed)
    middles = generator.normal(size=(12, 20))
    chosen = middles[generator.integers(0, 12, count)]
    return (chosen + 0.6 * generator.normal(size=(count, 20))).astype(np.float32)


def slow_ratio(vector, centres):
    far = sorted(float(np.linalg.norm(vector - centre)) for centre in centres)
    return far[0] / far[1]


def test_ratios_are_those_of_a_slow_loop():
    vectors = descriptors()
    centres = vectors[:7]
    nearest, ratios = nearest_and_ratio(vectors[7:], centres)
    slow = [slow_ratio(vector, centres) for vector in vectors[7:]]
    assert ratios == pytest.approx(slow, abs=1e-5)
    gaps = np.linalg.norm(vectors[7:, None] - centres, axis=2)
    assert (nearest == gaps.argmin(axis=1)).all()


def test_a_descriptor_on_its_centre_is_clear_and_one_on_two_centres_is_not():
    centres = np.array([[0, 0], [2, 0], [2, 0]], np.float32)
    _, ratios = nearest_and_ratio(np.array([[0, 0], [2, 0], [1, 0]], np.float32), centres)
    assert ratios == pytest.approx([0, 1, 1])


def test_exactly_the_descriptors_above_the_ratio_are_dropped():
    local = descriptors()
    labels = surrogate_classes(local, 9, dim=6, ambiguity=0.8, seed=5)
    whitened = fit_hard_whitening(local, 6)(local)
    centres = cluster_centres(whitened, 9, random_state=5)
    slow = np.array([slow_ratio(vector, centres) for vector in whitened])
    assert ((labels >= 0) == (slow <= 0.8)).all()
    assert 0 < (labels < 0).sum() < len(labels)


def test_kept_descriptors_share_a_class_where_they_share_a_nearest_centre():
    local = descriptors()
    labels = surrogate_classes(local, 9, dim=6, ambiguity=0.8, seed=5)
    whitened = fit_hard_whitening(local, 6)(local)
    nearest, _ = nearest_and_ratio(whitened, cluster_centres(whitened, 9, random_state=5))
    kept = labels >= 0
    same_class = labels[kept, None] == labels[kept]
    assert (same_class == (nearest[kept, None] == nearest[kept])).all()


def test_a_ratio_of_one_drops_nothing_and_a_smaller_one_keeps_fewer_of_the_same():
    local = descriptors()
    kept = [surrogate_classes(local, 9, ambiguity=ratio) >= 0 for ratio in (0.5, 0.8, 1.0)]
    assert kept[2].all()
    assert (kept[0] <= kept[1]).all()
    assert kept[0].sum() < kept[1].sum()


def test_classes_are_counted_without_gaps():
    labels = surrogate_classes(descriptors(), 30, ambiguity=0.6)
    assert set(labels) - {-1} == set(range(labels.max() + 1))


def test_the_same_seed_gives_the_same_classes():
    local = descriptors()
    assert (surrogate_classes(local, 9, seed=3) == surrogate_classes(local, 9, seed=3)).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clusters": 1}, "clusters must be from 2 to 400"),
        ({"clusters": 401}, "clusters must be from 2 to 400"),
        ({"ambiguity": 0}, "ambiguity must be above 0"),
    ],
)
def test_values_that_make_no_sense_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        surrogate_classes(descriptors(), **{"clusters": 5, **change})
