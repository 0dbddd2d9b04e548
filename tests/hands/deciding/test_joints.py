"""Where pages come together in the tree of their group."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from dgmp.hands.deciding.joints import Joints, Tree
from dgmp.hands.evidence import Evidence, part
from dgmp.hands.linkage import average_tree, link_pages


@pytest.fixture(scope="module")
def evidence(collection, fitted):
    return Evidence.of(part(collection[0], np.arange(40)), fitted)


def test_pages_come_together_where_scipy_has_it(evidence):
    members = np.arange(3, 25)
    links, top = average_tree(evidence, members)
    expected = top - squareform(cophenet(links))
    tree = Tree.of(evidence, members)
    for row, page in enumerate(members):
        found = dict(zip(tree.pages.tolist(), tree.with_page(page)[0], strict=True))
        others = members[members != page]
        got = [found[other] for other in others.tolist()]
        np.testing.assert_allclose(got, expected[row, members != page])
        assert found[page] == np.inf


def test_a_joint_has_the_mean_of_the_pairs_across(evidence):
    tree = Tree.of(evidence, np.arange(20))
    for one, other, mean in tree.joints:
        across = evidence.between(tree.pages[one], tree.pages[other])
        assert mean == pytest.approx(across.mean(), abs=1e-3)


def test_a_page_alone_has_no_joints(evidence):
    assert Tree.of(evidence, np.array([4])).joints == ()


def test_pages_of_two_groups_have_the_mean_of_these(evidence):
    joints = Joints.of(evidence, -1.0)
    groups = link_pages(evidence, -1.0)
    page, other = 0, int(np.flatnonzero(groups != groups[0])[0])
    ours, theirs = (np.flatnonzero(groups == groups[i]) for i in (page, other))
    expected = evidence.between(ours, theirs).mean()
    for pair in ((page, other), (other, page)):
        mean, pairs = joints.between(*pair)
        assert mean == pytest.approx(expected, abs=1e-4)
        assert pairs == len(ours) * len(theirs)


def test_pages_of_one_group_have_the_mean_of_their_joint(evidence):
    joints = Joints.of(evidence, -1.0)
    tree = joints.tree(int(np.flatnonzero(joints.groups == np.bincount(joints.groups).argmax())[0]))
    one, other, mean = tree.joints[-1]  # the top
    pair = int(tree.pages[one][0]), int(tree.pages[other][-1])
    size = len(tree.pages[one]) * len(tree.pages[other])
    assert joints.between(*pair) == joints.between(*pair[::-1]) == (mean, size)
