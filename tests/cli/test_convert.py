"""`linkwright convert`: the other file is there, and what it lacks is listed."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.plans.closed_samples import home_coordinates
from tests.cli.test_cli import here, run  # noqa: F401

CATALOG = Path(lw.catalog.__file__).parent / "data"


def test_convert_writes_the_file_and_lists_what_is_lost(here):  # noqa: F811
    done = run("convert", "four-bar", "bar.urdf")
    assert done.exit_code == 0 and (here / "bar.urdf").exists()
    assert "warning: gravity (0.0, -9.8, 0.0) is lost" in done.output


def test_losses_as_json(here):  # noqa: F811
    done = run("convert", "four-bar", "bar.urdf", "--dialect", "extended", "--json")
    assert {loss["code"] for loss in json.loads(done.output)["losses"]} >= {"lost-gravity", "lost-home"}
    assert (here / "bar.yaml").read_text().startswith("closed_loop: [['B_A', 'B_B']]")
    assert run("info", "bar.urdf").exit_code == 0


def test_what_cannot_be_written_is_refused(here):  # noqa: F811
    assert run("convert", "four-bar", "bar.docx").exit_code == 3
    assert run("convert", "four-bar-flexible", "bar.xml").exit_code != 0
    assert not list(here.iterdir())


def without_home(folder):
    text = (CATALOG / "four-bar.yaml").read_text(encoding="utf-8")
    (folder / "bar.yaml").write_text(text[: text.index("\nhome:")] + "\n", encoding="utf-8")


@pytest.mark.parametrize("ending", ["xml", "sdf", "yaml"])
def test_a_home_that_leaves_loops_open_is_written_closed(here, ending):  # noqa: F811
    """SDF draws the model at its home, MJCF has a keyframe: others need a configuration that is closed."""
    without_home(here)
    assert run("convert", "bar.yaml", f"closed.{ending}").exit_code == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = lw.build(lw.load(here / f"closed.{ending}"))
        assert np.abs(back.closure_residual(home_coordinates(back.kernels))).max() < 1e-9


def test_a_lost_loop_ends_with_five(here):  # noqa: F811
    """A loop that cannot close is not a joint between links as SDF draws them."""
    without_home(here)
    text = (here / "bar.yaml").read_text(encoding="utf-8")
    (here / "bar.yaml").write_text(text.replace("base: 3 m", "base: 9 m"), encoding="utf-8")
    done = run("convert", "bar.yaml", "bar.sdf")
    assert done.exit_code == 5 and "error:" in done.output
