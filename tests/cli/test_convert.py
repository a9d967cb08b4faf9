"""`linkwright convert`: the other file is there, and what it lacks is listed."""

import json

from tests.cli.test_cli import here, run  # noqa: F401


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
