"""Good files to start from, by their endings: the catalog, the test data, and what the writers make of it."""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib.resources import files
from pathlib import Path

import linkwright as lw

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@cache
def catalog_texts() -> tuple[str, ...]:
    data = files("linkwright.catalog").joinpath("data")
    return tuple(data.joinpath(f"{name}.yaml").read_text(encoding="utf-8") for name in lw.catalog.names())


@cache
def sources(folder: Path) -> dict[str, tuple[str, ...]]:
    """Texts by ending; what writers make is written below the folder on the way."""
    from tests.formats import test_mjcf, test_sdf, test_urdf, test_urdf_loops
    from tests.formats.test_yaml_parameters import ONCE

    written = {ending: _written(folder, ending) for ending in (".yaml", ".urdf", ".xml", ".sdf")}
    data = {
        ending: tuple(x.read_text(encoding="utf-8") for x in sorted((ROOT / "tests" / "data").rglob(f"*{ending}")))
        for ending in (".yaml", ".urdf")
    }
    return {
        ".yaml": (*catalog_texts(), *data[".yaml"], *written[".yaml"], ONCE),
        "study": _shown("studies"),
        "sweep": tuple(text for text in _shown("sweep") if "sweep:" in text),
        "optimization": tuple(text for text in _shown("optimize") if "optimize:" in text),
        ".urdf": (*data[".urdf"], *written[".urdf"], test_urdf.ROBOT, test_urdf_loops.FOUR_BAR),
        ".xml": (*written[".xml"], test_mjcf.ROBOT),
        ".sdf": (*written[".sdf"], test_sdf.FOUR_BAR),
    }


def _shown(page: str) -> tuple[str, ...]:
    """The files that a page of the how-tos shows."""
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    return tuple(found for found in _FENCED.findall(text) if "format:" in found)


_NAMES = ("four-bar", "three-link-arm", "delta", "slider-crank", "agile-eye", "four-bar-flexible", "hexaglide")


def _written(folder: Path, ending: str) -> tuple[str, ...]:
    found = []
    for name in _NAMES:
        path = folder / f"good-{name}{ending}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lw.save(lw.catalog.load(name), path)
        except lw.errors.LinkwrightError:
            continue  # beams have no form in XML
        found.append(path.read_text(encoding="utf-8"))
        path.unlink()
    return tuple(found)
