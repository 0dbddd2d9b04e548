"""Names that users write, packages they may not have, and names that wait until they are used."""

import subprocess
import sys
import types

import pytest

from dgmp.errors import MissingExtra, UnknownName
from dgmp.names import (
    PACKAGES,
    check_name,
    choose,
    did_you_mean,
    empty,
    missing_extra,
    nearest_name,
    need,
    unknown,
)

TABLE = {"hinge": 1, "sift": 2, "lbp": 3}


def test_a_name_of_the_table_gives_its_entry():
    assert choose("sift", TABLE, "describer") == 2


def test_the_error_for_a_name_offers_the_nearest():
    with pytest.raises(UnknownName) as error:
        choose("hnige", TABLE, "describer")
    assert str(error.value) == (
        "no describer called 'hnige'; did you mean 'hinge'? Choose from hinge, sift, lbp"
    )


def test_the_error_for_a_name_that_is_near_nothing_lists_all():
    with pytest.raises(UnknownName) as error:
        choose("vlad", TABLE, "describer")
    assert str(error.value) == "no describer called 'vlad'; choose from hinge, sift, lbp"


def test_a_name_that_is_known_passes():
    check_name("hinge", TABLE, "describer")


def test_a_name_that_is_not_known_is_refused_with_the_same_message():
    with pytest.raises(UnknownName) as error:
        check_name("hnige", TABLE, "describer")
    assert str(error.value) == str(unknown("hnige", TABLE, "describer"))


def test_the_choice_is_in_the_order_of_the_table():
    assert did_you_mean("zzz", ["b", "c", "a"]) == "choose from b, c, a"


def test_a_package_that_is_there_is_imported():
    assert need("PIL.Image") is sys.modules["PIL.Image"]


@pytest.mark.parametrize("module", PACKAGES)
def test_a_package_that_is_not_there_is_named_with_its_extra(monkeypatch, module):
    package, extra = PACKAGES[module]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as error:
        need(module)
    assert str(error.value) == (
        f"this needs {package}, which is not installed: pip install 'dgmp[{extra}]'"
    )


def test_a_part_of_a_package_that_is_not_there_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingExtra, match=r"needs pillow, .* pip install 'dgmp\[classical\]'"):
        need("PIL.Image")


def test_a_package_that_needs_another_names_the_one_that_is_missing(monkeypatch, tmp_path):
    (tmp_path / "needs_cv2.py").write_text("import cv2\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtra, match="needs opencv-python-headless"):
        need("needs_cv2")


def test_a_module_that_no_extra_brings_is_an_import_error():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        need("no_such_module")


def test_a_module_that_no_extra_brings_is_no_missing_extra():
    assert missing_extra("no_such_module") is None


@pytest.fixture
def room(monkeypatch, tmp_path):
    """A room that offers ``pen`` of its file ``tools``."""
    (tmp_path / "a_room").mkdir()
    (tmp_path / "a_room" / "tools.py").write_text("pen = 'a pen'\n")
    (tmp_path / "a_room" / "__init__.py").write_text(
        "from dgmp.names import lazy_names\n__getattr__ = lazy_names(__name__, {'pen': '.tools'})\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import a_room

    yield a_room
    for name in ("a_room", "a_room.tools"):
        sys.modules.pop(name, None)


def test_a_lazy_name_is_that_of_the_file_behind_it(room):
    assert room.pen == "a pen"


def test_the_file_behind_a_lazy_name_waits_until_it_is_used(room):
    assert "a_room.tools" not in sys.modules
    assert isinstance(room, types.ModuleType)


def test_a_name_that_a_room_does_not_offer_is_an_attribute_error(room):
    with pytest.raises(AttributeError, match="module 'a_room' has no attribute 'paper'"):
        _ = room.paper


def test_the_nearest_of_many_names_is_the_one_with_the_letter_that_is_missing():
    names = [f"ms {number // 200:03}/blatt_{number % 200:04}.jpg" for number in range(5000)]
    assert nearest_name("ms 012/blat_0123.jpg", names) == "ms 012/blatt_0123.jpg"


@pytest.mark.parametrize(("name", "known"), [("a", []), ("", ["a"]), ("ü", ["", "b"])])
def test_nothing_is_near_a_name_that_has_nothing_in_common(name, known):
    assert nearest_name(name, known) is None


def test_an_unused_part_of_a_package_is_empty_while_it_is_imported(monkeypatch, tmp_path):
    (tmp_path / "whole" / "slow").mkdir(parents=True)
    (tmp_path / "whole" / "__init__.py").write_text("from .slow.client import Client\nfast = 1\n")
    (tmp_path / "whole" / "slow" / "client.py").write_text("class Client:\n    real = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with empty("whole.slow"):
        whole = need("whole")
    assert whole.fast == 1
    assert not hasattr(whole.Client, "real")
    assert need("whole.slow.client").Client.real
    with empty("whole.slow"):  # imported already: as it is
        assert need("whole.slow.client").Client.real
    for name in [name for name in sys.modules if name.partition(".")[0] == "whole"]:
        monkeypatch.delitem(sys.modules, name)


def test_a_catalogue_is_opened_without_the_client_of_a_service(tmp_path):
    code = (
        "import sys; from dgmp.catalogue.rows import connect; connect(sys.argv[1]).table_names();"
        "print([m for m in sys.modules if m.startswith('lance_namespace_urllib3_client.api.')])"
    )
    run = [sys.executable, "-c", code, str(tmp_path)]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "[]\n"
