"""Files of rows, which tell by their length how far work has come."""

import numpy as np

from dgmp.hands.many.row_file import RowFile


def rows(number):
    return np.arange(number * 3, dtype=np.float32).reshape(number, 3)


def test_rows_come_back_as_they_were_appended(tmp_path):
    file = RowFile(tmp_path / "rows", np.float32, 3)
    file.append(rows(5)[:2])
    file.append(rows(5)[2:])
    np.testing.assert_array_equal(file.read(), rows(5))


def test_a_file_that_is_not_there_has_no_rows(tmp_path):
    assert len(RowFile(tmp_path / "rows", np.int8, 3)) == 0


def test_a_row_that_was_cut_off_does_not_count(tmp_path):
    file = RowFile(tmp_path / "rows", np.float32, 3)
    file.append(rows(4))
    with file.path.open("ab") as end:
        end.truncate(4 * 12 - 1)
    assert len(file) == 3


def test_rows_can_be_cut_off_and_appended_again(tmp_path):
    file = RowFile(tmp_path / "rows", np.float32, 3)
    file.append(rows(4))
    file.cut(2)
    file.append(rows(4)[2:])
    np.testing.assert_array_equal(file.read(), rows(4))
