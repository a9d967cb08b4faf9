"""Tables in CSV files: mistakes are named with their line in the file."""

import pytest

import linkwright as lw
from linkwright.formats.tables import read_table


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# remark\n\nt,x [m]\n0,1\n# another\n\n1,2\n2,bad\n", encoding="utf-8")
    table = read_table(path, "motion")
    assert [line for line, _ in table.rows] == [4, 7, 8] and table.numbers("t") == [0.0, 1.0, 2.0]
    with pytest.raises(lw.ArgumentError, match=r"a\.csv:8: x is 'bad'"):
        table.numbers("x")
    with pytest.raises(lw.ArgumentError, match=r"a\.csv:3: the column 'y' is missing"):
        table.require(["y"])
