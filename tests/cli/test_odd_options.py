"""Options that cannot be meant are refused before anything is computed, with the way out and exit code 2."""

import shlex

import pytest
from click.testing import CliRunner

from linkwright.cli import main

ODD = {
    "view four-bar --output page.pdf": "'page.pdf' ends in none of .html, .svg, .gif, .glb, .mp4, .webm",
    "convert four-bar \ud800": "cannot be the name of a file",
    "explain four-bar --report page": "'page' ends in none of .html, .htm; choose one of these",
    "simulate four-bar --report page.pdf": "'page.pdf' ends in none of .html, .htm; choose one of these",
    "report run.npz --output page.txt": "'page.txt' ends in none of .html, .htm; choose one of these",
    "export c four-bar --name '5 bar'": "'5 bar' is not a valid identifier in C and C++; use at most 100 letters",
    "export c four-bar --name double": "'double' is not a valid identifier in C and C++",
    "selftest four-bar --draws 0": "0 is not in the range 1<=x<=10000000",
    "simulate four-bar --duration 0": "--duration: '0' is not above zero; write for example '1 s'",
    "simulate four-bar --duration forever": "write a number, or a number and a unit such as '1 s'",
    "simulate four-bar --method rk4 --step -1": "--step: '-1' is not above zero",
    "simulate four-bar --effort motor=1 --set crank": "--set crank: write NAME=VALUE",
    "check": "Missing argument 'NAME_OR_FILE'",
    "chekc four-bar": "Did you mean 'check'?",
}


@pytest.mark.parametrize("line", ODD)
def test_it_is_refused_with_a_message(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, shlex.split(line))
    assert done.exit_code == 2, done.output
    assert ODD[line] in " ".join(done.output.split())
    assert list(tmp_path.iterdir()) == []
