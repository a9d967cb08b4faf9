"""The demonstration ends with a report whose simulation follows inverse dynamics."""

import json

from click.testing import CliRunner

from linkwright.cli import main
from linkwright.cli.demo import MISS
from tests.viewer.test_report import content


def test_the_demo_ends_with_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["demo", "--json"])
    assert done.exit_code == 0, done.output
    platform = json.loads(done.stdout)["platform"]
    assert platform["agrees"] and platform["largest_difference"] < MISS
    text = (tmp_path / "gough_stewart.html").read_text(encoding="utf-8")
    assert len(text.encode()) < 2.5e6
    assert content(text)["scene"]["name"] == "gough-stewart" and len(content(text)["reactions"]) == 19
