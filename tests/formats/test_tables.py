"""Tables in CSV files: mistakes are named with their line in the file."""

import pytest

import linkwright as lw
from linkwright.formats.tables import read_table


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# remark\n\nt,x [m]\n0,1\n# another\n\n1,2\n2,bad\n", encoding="utf-8")
    table = read_table(path, "motion")
    assert table.lines == (4, 7, 8) and table.numbers("t", "s").tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(lw.errors.ArgumentError, match=r"a\.csv:8: x is 'bad'"):
        table.numbers("x", "m")
    with pytest.raises(lw.errors.ArgumentError, match=r"a\.csv:3: the column 'y' is missing"):
        table.require(["y"])


def test_titles_of_savetxt_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("# made by a program\n# t [ms],x\n0,1\n1000,2\n", encoding="utf-8")
    table = read_table(path, "motion")
    assert table.numbers("t", "s").tolist() == [0.0, 1.0] and table.line == 2
    path.write_text("# t\n0,1\n1,2\n", encoding="utf-8")
    with pytest.raises(lw.errors.ArgumentError, match=r"a\.csv:2: the motion has no titles"):
        read_table(path, "motion")


def test_a_name_with_brackets_is_a_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("leg[1],leg[2] [mm],x [mm],x [m]\n1,2,3,4\n", encoding="utf-8")
    table = read_table(path, "motion")
    assert table.numbers("leg[1]", "m").tolist() == [1.0] and table.numbers("leg[2]", "m").tolist() == [2e-3]
    with pytest.raises(lw.errors.ArgumentError, match=r"the column 'x' stands there as 'x \[mm\]' and 'x \[m\]'"):
        table.numbers("x", "m")
