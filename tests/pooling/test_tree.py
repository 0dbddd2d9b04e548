"""Tree pooling against its formula, and at its start."""

import pytest

from dgmp.pooling.average import AveragePool
from dgmp.pooling.tree import TreePool

from .feature_maps import CHANNELS, SIGNS, check_formula, close, random_map, sigmoid, softmax


def tree(x, pooling):
    """A node is its gate over its two children; children of node n are 2n + 1 and 2n + 2."""
    betas, gates = pooling.sharpness.tolist(), pooling.gates.tolist()

    def value(node, c):
        if node >= len(gates):
            beta = betas[node - len(gates)]
            return softmax([beta * v for v in x[c]]) @ x[c]
        g = sigmoid(gates[node][c] * sum(x[c]) / len(x[c]))
        return g * value(2 * node + 1, c) + (1 - g) * value(2 * node + 2, c)

    return [value(0, c) for c in range(len(x))]


@pytest.mark.parametrize("options", [{}, {"levels": 3}], ids=["tree", "tree of 3 levels"])
@SIGNS
def test_it_is_its_formula(options, low):
    check_formula(lambda: TreePool(CHANNELS, **options), tree, low)


def test_gates_start_at_an_even_mix():
    features = random_map()
    low = AveragePool()(features)
    high = ((10 * features).softmax(dim=2) * features).sum(dim=2)
    close(TreePool(CHANNELS).double()(features), ((low + high) / 2).detach())
