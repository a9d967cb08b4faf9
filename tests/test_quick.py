"""Quick tests: what changed decides what runs; nothing that is left out is left out silently."""

import pytest

from tests.quick import CORE, ELSEWHERE, FOLDERS, SLOW, TESTS, Limits, slow_tests, wanted_files, write_slow_tests
from tests.sampling import SOAKING, sample
from tests.test_layers import PACKAGES


def names(changed):
    files, whole = wanted_files(changed)
    return [f.relative_to(TESTS).as_posix() for f in files], {f.relative_to(TESTS).as_posix() for f in whole}


def test_a_changed_module_runs_its_namesake_whole_then_its_package_then_those_that_import_it():
    files, whole = names(["src/linkwright/formats/schema.py"])
    order = [
        files.index(f) for f in ("formats/test_schema.py", CORE[0], "formats/test_units.py", "catalog/test_catalog.py")
    ]
    assert order == sorted(order)
    assert whole == {"formats/test_schema.py"}
    assert not any(f.startswith("kinematics/") for f in files)


def test_tests_that_import_a_changed_module_run_before_its_package():
    files, _ = names(["src/linkwright/compiler/runtime/code.py"])
    assert files.index("model/test_lifetimes.py") < files.index(CORE[0]) < files.index("compiler/test_lanes.py")


def test_time_counts_from_the_first_test():
    class Item:
        nodeid = "tests/test_quick.py::test_nothing"

    limits = Limits((), 1000.0)
    limits.pytest_runtest_setup(Item)
    limits.until -= 2000.0
    with pytest.raises(pytest.skip.Exception, match="no time"):
        limits.pytest_runtest_setup(Item)


def test_changed_tests_and_helpers_run():
    files, whole = names(["tests/loops/mechanisms.py", "tests/algebra/test_sums.py"])
    assert files[0] == "algebra/test_sums.py" and whole == {"algebra/test_sums.py"}
    assert "loops/test_cuts.py" in files


def test_pages_examples_and_the_viewer_have_their_tests():
    for path, expected in ELSEWHERE.items():
        files, _ = names([path if "." in path else f"{path}/anything"])
        assert all(any(f.startswith(name) for f in files) for name in expected), path


def test_whatever_changed_the_core_runs():
    assert set(CORE) <= set(names(["CHANGELOG.md"])[0])


def test_every_folder_of_tests_belongs_to_packages():
    """A folder that nothing leads to would never run."""
    folders = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert folders <= {*PACKAGES, *FOLDERS}
    assert {name for needs in FOLDERS.values() for name in needs.split()} <= {*PACKAGES, "joints"}


def test_slow_tests_exist():
    """Renamed tests are no longer known as slow; some may be, until the list is written again."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in TESTS.glob("**/test_*.py")}
    gone = [name for name in slow_tests() if f"def {name.split('::')[-1]}(" not in texts.get(name.split("::")[0], "")]
    assert len(gone) < 0.2 * len(slow_tests()), f"write tests/slow_tests.txt again (tests/quick.py): {gone} are gone"


def test_the_list_is_written_from_a_report(tmp_path, monkeypatch):
    case = '<testcase classname="tests.test_quick" name="{}" time="{}"/>'
    cases = [case.format("test_a[1]", 3 * SLOW), case.format("test_a[2]", 0.0), case.format("test_b", 0.1)]
    (tmp_path / "times.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    monkeypatch.setattr("tests.quick.SLOW_TESTS", tmp_path / "slow.txt")
    write_slow_tests(tmp_path / "times.xml")
    assert slow_tests() == {"test_quick.py::test_a": pytest.approx(1.5 * SLOW, abs=0.06)}


def test_samples_are_spread_and_soaking_takes_all(monkeypatch):
    monkeypatch.delenv(SOAKING, raising=False)
    assert sample(range(9), 3) == [0, 4, 8] and sample("ab", 5) == ["a", "b"] and sample("abc", ("c",)) == ["c"]
    with pytest.raises(AssertionError, match="none of the cases"):
        sample("abc", ("d",))
    monkeypatch.setenv(SOAKING, "1")
    assert sample(range(9), 3) == list(range(9))
