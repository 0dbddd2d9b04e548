"""The paper's figures of the margins."""

from dgmp.experiments import TABLES


def test_the_figures_of_the_paper_are_those_of_its_table():
    figures = {row.name: row.paper["Historical-WI"] for row in TABLES["margins"].rows}
    assert max(figures, key=lambda name: figures[name]["map"]) == "dgmp1e3-margin0.1"
    assert figures["dgmp1e3-margin0.1"] == {"map": 54.81, "top_1": 73.94}
