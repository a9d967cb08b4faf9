"""`linkwright new` writes files that are the catalog's, with a comment above every section."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.formats import read


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*args):
    return CliRunner().invoke(main, list(args))


@pytest.mark.parametrize("name", lw.catalog.names())
def test_every_kind_is_the_catalogs_mechanism_with_comments(name):
    done = run("new", name, "mine.yaml")
    assert done.exit_code == 0 and "linkwright check mine.yaml" in done.output, done.output
    assert read("mine.yaml").mechanism == lw.catalog.load(name)
    lines = Path("mine.yaml").read_text(encoding="utf-8").splitlines()
    plain = ("format:", "name:", "source:", "license:")
    sections = [i for i, line in enumerate(lines) if line[:1].isalpha() and not line.startswith(plain)]
    assert sections and all(lines[i - 1].startswith("# ") for i in sections)


@pytest.mark.parametrize("kind", ["four-bar", "delta", "arm"])
def test_a_new_file_checks_clean(kind):
    assert run("new", kind, "mine.yaml").exit_code == 0
    done = run("check", "mine.yaml")
    assert done.exit_code == 0 and "Nothing is wrong" in done.output, done.output


def test_wrong_kinds_and_files_are_refused_and_existing_ones_kept():
    assert "did you mean 'delta'" in run("new", "dleta", "mine.yaml").output
    assert run("new", "delta", "mine.txt").exit_code == 2
    assert run("new", "delta", "mine.urdf").exit_code == 2
    Path("mine.yaml").write_text("mine")
    assert run("new", "delta", "mine.yaml").exit_code == 2 and Path("mine.yaml").read_text() == "mine"
    assert run("new", "delta", "mine.yaml", "--overwrite").exit_code == 0


def test_info_lists_parameters_and_says_where_to_go_next():
    shown = run("info", "four-bar").output
    assert "Parameters" in shown and "crank" in shown and "2.5 m" in shown
    assert "Next: linkwright view four-bar" in shown and '--at "motor=... deg"' in shown


def test_long_listings_are_summaries_without_the_option_all():
    for verb in ("info", "explain"):
        short, whole = (run(verb, "gough-stewart", *more).output for more in ((), ("--all",)))
        assert "--all shows them" in short and "--all shows them" not in whole
        assert len(short.splitlines()) < len(whole.splitlines())
