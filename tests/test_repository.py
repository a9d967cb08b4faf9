"""Promises of the repository about itself: its commands, versions, records and the size of its files."""

import re
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import dev
import linkwright

ROOT = Path(__file__).parent.parent
HOME_PATH = re.compile(r"(?<![\w.~}])(/(home|Users|work|root)/\w|[A-Za-z]:\\+Users)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_commands() -> list[str]:
    return re.findall(r"^python3 dev\.py .*$", text("README.md"), re.MULTILINE)


def tracked_files() -> list[Path]:
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listing.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def text_lines(path: Path) -> list[str]:
    content = path.read_bytes()
    return [] if b"\0" in content else content.decode("utf-8").splitlines()


def test_readme_commands_exist():
    assert readme_commands() == ["python3 dev.py demo", "python3 dev.py test"]
    assert all(command.split()[2] in dev.COMMANDS for command in readme_commands())


def test_ci_runs_the_readme_test_command():
    assert text(".ci/run").splitlines()[-1] == f"exec {readme_commands()[1]}"


def test_no_file_knows_the_computer_it_was_written_on():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in tracked_files()
        for number, line in enumerate(text_lines(path), start=1)
        if HOME_PATH.search(line)
    ]
    assert not found, "absolute paths of somebody's computer:\n" + "\n".join(found)


@pytest.mark.parametrize("bad", ["see " + "/home" + "/ann/x", '"' + "/work" + '/main"', "C:" + "\\Users\\ann"])
def test_the_path_pattern_can_fail(bad):
    assert HOME_PATH.search(bad)


def test_versions_agree():
    citation = YAML(typ="safe").load(text("CITATION.cff"))
    newest = re.search(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == citation["version"] == linkwright.__version__
    assert len(citation["references"]) == 5


def test_every_decision_is_in_the_index():
    index = text("docs/decisions/README.md")
    records = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert records == sorted(set(re.findall(r"\(([0-9][^)]*\.md)\)", index)))


CODE_PAGES = [
    "CONTRIBUTING.md",
    "docs/architecture.md",
    *(f"docs/theory/{path.name}" for path in sorted((ROOT / "docs" / "theory").glob("*.md"))),
]
CODE_PATH = re.compile(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.py)`")


@pytest.mark.parametrize("page", CODE_PAGES)
def test_files_of_code_named_on_a_page_exist(page):
    named = set(CODE_PATH.findall(text(page)))
    assert not [
        name for name in sorted(named) if not ((ROOT / name).is_file() or (ROOT / "src/linkwright" / name).is_file())
    ]


def test_the_pages_name_files():
    assert len(CODE_PATH.findall(text("CONTRIBUTING.md") + text("docs/architecture.md"))) > 80
    assert CODE_PATH.findall("see `loops/cut_joints.py` and `errors.py`, not `model.program`") == [
        "loops/cut_joints.py",
        "errors.py",
    ]


PAGES = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def read_yaml(name: str) -> dict:
    return YAML(typ="safe").load(text(name))


def test_workflows_cover_the_systems_and_versions_that_are_promised():
    jobs = read_yaml(".github/workflows/test.yml")["jobs"]
    matrix = jobs["matrix"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert any("arm" in name for name in matrix["os"])
    assert matrix["python"][0] == re.search(r'requires-python = ">=(.+?)"', text("pyproject.toml"))[1]
    assert {case["dependencies"] for case in matrix["include"]} | set(matrix["dependencies"]) == {"lowest", "newest"}
    assert jobs["whole"]["steps"][-1]["run"] == ".ci/run"
    assert jobs["docs"]["steps"][-1]["run"].split()[-1] in dev.COMMANDS


def test_the_configuration_of_the_site_names_files_and_extras_that_exist():
    site = read_yaml(".readthedocs.yaml")
    assert (ROOT / site["sphinx"]["configuration"]).is_file()
    extras = text("pyproject.toml").split("[project.optional-dependencies]")[1]
    assert all(f"\n{extra} = " in extras for extra in site["python"]["install"][0]["extra_requirements"])


def test_issue_templates_can_be_filled_in():
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")):
        form = read_yaml(path.relative_to(ROOT).as_posix())
        assert form["name"] and form["description"]
        assert all(part["id"] and part["attributes"]["label"] for part in form["body"])


def test_addresses_of_the_project_stand_in_one_place():
    addresses = re.findall(r'^\w+ = "(https://example\.org/.+?)"', text("pyproject.toml"), re.MULTILINE)
    assert len(addresses) == 4
    others = [path for path in tracked_files() if path.name not in ("pyproject.toml", Path(__file__).name)]
    assert [path.name for path in others if any(addresses[0] in line for line in text_lines(path))] == []
