"""`linkwright verify` as users meet it: tables, exit codes, JSON, figures."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from linkwright.cli import main
from linkwright.papers.gallery import collection
from linkwright.papers.gallery.claim_records import Near, choose_claims
from linkwright.papers.gallery.paper_figures import FIGURES, figure_drawings

CHEAP = ["hanzaki/H1", "hanzaki/H2-singularity", "saha/S13-kalman"]
DRAWN = {
    *(f"saha-fig{n}" for n in (5, 6, 8, 9)),
    *(f"khan-fig{n}" for n in (4, 5, 6, 7, 8)),
    *(f"wang-fig{n}" for n in (6, 7, 8, 10, 11, 12, 13, 14)),
    "hanzaki-fig4",
    *(f"rao-fig{n}" for n in (7, 8, 9)),
}
KEYS = {
    "claim": str,
    "paper": str,
    "where": str,
    "statement": str,
    "published": str,
    "source": str,
    "tolerance": str,
    "unit": str,
    "ours": list,
    "verdict": str,
    "reason": str,
    "seconds": float,
}


def verify(*arguments):
    return CliRunner().invoke(main, ["verify", *arguments])


def test_differences_with_reasons_end_well():
    shown = verify(*CHEAP)
    assert shown.exit_code == 0, shown.output
    assert "2 reproduced, 1 differ for a reason, 0 failed" in shown.output
    assert "det G* = 8 / e0" in shown.output


def test_json_holds_the_same():
    shown = verify(*CHEAP, "--json")
    assert shown.exit_code == 0
    data = json.loads(shown.output)
    assert set(data) == {"claims", "summary", "figures"}
    assert data["summary"] == {"pass": 2, "differs because": 1, "failed": 0}
    for row in data["claims"]:
        assert {key: type(value) for key, value in row.items()} == KEYS
    assert [row["verdict"] for row in data["claims"]].count("pass") == 2


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_sabotaged_number_ends_with_5(monkeypatch, option):
    spoilt = [
        replace(c, published=Near((2.0,) * 10, 1e-3)) if c.name == "hanzaki/H1-solids" else c for c in collection.CLAIMS
    ]
    monkeypatch.setattr(collection, "CLAIMS", tuple(spoilt))
    shown = verify("hanzaki/H1", *option)
    assert shown.exit_code == 5
    assert "failed" in shown.output


def test_the_list_computes_nothing():
    shown = verify("--list", "khan")
    assert shown.exit_code == 0
    assert "khan/K9-steps-1e-3" in shown.output and "saha" not in shown.output
    named = json.loads(verify("--list", "--json").output)
    assert [row["claim"] for row in named] == [c.name for c in collection.CLAIMS]


def test_an_unknown_name_is_wrong_usage():
    shown = verify("khann")
    assert shown.exit_code == 2
    assert "did you mean 'khan'" in shown.output


def test_all_figures_of_the_papers_have_names():
    assert set(FIGURES) == DRAWN


def test_figures_are_files_with_units(tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "new" / "folder"
    files = list(figure_drawings({"saha"}, str(folder), "svg"))
    assert files == ["saha-fig5.svg", "saha-fig6.svg", "saha-fig8.svg", "saha-fig9.svg"]
    assert all((folder / name).read_text(encoding="utf-8").startswith("<?xml") for name in files)
    for name in ("saha-fig5", "saha-fig8"):
        chart = FIGURES[name]()
        assert chart.name == name
        assert all("[" in panel.below and "[" in panel.beside for panel in chart.panels)


def test_figures_come_with_the_claims(tmp_path):
    pytest.importorskip("matplotlib")
    shown = verify("saha/S13-kalman", "--figures", str(tmp_path), "--format", "png", "--json")
    assert shown.exit_code == 0
    assert json.loads(shown.output)["figures"] == [path.name for path in sorted(tmp_path.iterdir())]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    shown = verify("saha/S13-kalman", "--figures", str(tmp_path / "taken" / "inside"))
    assert shown.exit_code == 3
    assert "cannot be made" in shown.output and "Traceback" not in shown.output


def test_the_page_about_it_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "howto" / "verify.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    assert "hanzaki/H2-singularity differs because" in capsys.readouterr().out
    commands = re.findall(r"^linkwright (verify.*)$", page, re.MULTILINE)
    for command in commands:
        choose_claims(
            collection.CLAIMS, [name for name in command.split()[1:] if name in collection.PAPERS or "/" in name]
        )
