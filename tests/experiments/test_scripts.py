"""The paper's figures of scripts."""

from .conftest import SCRIPTS


def test_the_figures_of_the_paper_are_those_of_its_table():
    dgmp = next(row for row in SCRIPTS.rows if row.name == "dgmp")
    assert dgmp.paper["CLaMM 2017"] == {"accuracy": 83.3, "ensemble": 85.1}
