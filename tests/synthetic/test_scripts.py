"""The twelve scripts."""

import pytest

from dgmp.corpora.label_files import CLAMM_SCRIPTS
from dgmp.synthetic import SCRIPTS
from dgmp.synthetic.alphabets import FORMS


def test_the_scripts_are_the_classes_of_clamm():
    assert set(SCRIPTS) == set(CLAMM_SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_listed_under_its_name(name):
    assert SCRIPTS[name].name == name


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_form_of_a_script_exists(name):
    for forms in SCRIPTS[name].forms.values():
        assert set(forms.split()) <= set(FORMS)
