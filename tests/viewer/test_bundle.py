"""The built viewer in the package is the one its sources make; needs no Node."""

import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from linkwright.viewer.page import bundle_file

SOURCES = Path(__file__).parent.parent.parent / "viewer"
BUNDLE = files("linkwright.viewer") / "bundle"
SEAL = json.loads(bundle_file("bundle.json"))


def source_files() -> list[Path]:
    """The files in the order the build hashes them: folders and files of src by name, then the settings."""

    def below(folder: Path) -> list[Path]:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
        return [path for entry in entries for path in (below(entry) if entry.is_dir() else [entry])]

    names = (
        "package.json",
        "package-lock.json",
        "tsconfig.json",
        "vite.config.ts",
        "vite.engine.config.ts",
        "vite.study.config.ts",
        "shaders.mjs",
        "seal.mjs",
    )
    return below(SOURCES / "src") + [SOURCES / name for name in names]


def digest(paths: list[Path]) -> str:
    hashed = hashlib.sha256()
    for path in paths:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
        hashed.update(f"{path.relative_to(SOURCES).as_posix()}\0{text}\0".encode())
    return hashed.hexdigest()


def test_the_bundle_was_built_from_these_sources():
    assert SEAL["sources"] == digest(source_files()), "run `npm ci && npm run build` in viewer/ and commit the bundle"


def test_a_changed_source_would_be_noticed(tmp_path):
    assert digest(source_files()[1:]) != SEAL["sources"]


@pytest.mark.parametrize("name", ["viewer.js", "viewer.css", "engine.js", "study.js", "study.css"])
def test_the_built_files_are_as_they_were_built(name):
    assert SEAL["built"][name] == hashlib.sha256(bundle_file(name).encode()).hexdigest()


def test_notices_of_everything_inside_come_along():
    notices = bundle_file("NOTICES.txt")
    for name, version in SEAL["versions"].items():
        assert f"{name} {version} (MIT)" in notices
    assert notices.count("Permission is hereby granted") == len(SEAL["versions"])


@pytest.mark.parametrize("name", ["viewer.js", "study.js"])
def test_the_script_cannot_end_its_element(name):
    assert not re.search(r"</script|<!--", bundle_file(name), re.IGNORECASE)


def test_the_lock_file_names_no_registry():
    lock = json.loads((SOURCES / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert all("integrity" in entry for name, entry in lock["packages"].items() if name)
