import numpy as np
import pytest
from sklearn.svm import LinearSVC

from dgmp.classical import fit_exemplar_svm
from dgmp.classical.whitening import unit_rows

RNG = np.random.default_rng(0)
NEGATIVES = unit_rows(RNG.standard_normal((12, 40)) + 1)


def test_the_normal_is_that_of_an_svm_in_the_full_space():
    svm = fit_exemplar_svm(NEGATIVES, penalty=1.0)
    vectors = unit_rows(RNG.standard_normal((3, 40)) + 1)
    for vector, normal in zip(vectors, svm(vectors), strict=True):
        machine = LinearSVC(C=1.0, class_weight="balanced", tol=1e-8, max_iter=100_000)
        machine.fit(np.vstack([vector, NEGATIVES]), np.arange(13) == 0)
        wanted = machine.coef_[0] / np.linalg.norm(machine.coef_[0])
        assert normal @ wanted > 1 - 1e-4


def test_a_page_is_on_the_positive_side_of_its_own_normal():
    svm = fit_exemplar_svm(NEGATIVES)
    vector = unit_rows(RNG.standard_normal(40) + 1)
    normal = svm(vector)
    assert normal.shape == (40,)
    assert abs(np.linalg.norm(normal) - 1) < 1e-5
    assert (normal @ vector > NEGATIVES @ normal).all()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="penalty"):
        fit_exemplar_svm(NEGATIVES, penalty=0)
    with pytest.raises(ValueError, match="shape"):
        fit_exemplar_svm(NEGATIVES[0])
