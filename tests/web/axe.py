"""Barriers that axe-core finds on the pages: `python -m tests.web.axe`, after `npm ci` in `viewer`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.viewer.page import mechanism_page, save_page
from tests.web.browser import browser, local, opened

SCRIPT = Path(__file__).parents[2] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = "async () => (await axe.run()).violations.map(v => [v.impact, v.id, v.help, v.nodes.map(n => n.target[0])])"


def findings(page: Any) -> list[tuple[str, str, str, list[str]]]:
    """Impact, rule, help and elements of everything that axe-core finds on an open page."""
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return [tuple(each) for each in page.evaluate(_RUN)]


def main() -> int:
    model = lw.build(lw.catalog.load("four-bar"))
    run = lw.simulate(model, model.assemble().q, t_end=0.5, effort=[6.0], output=51)
    worst = 0
    with browser() as running, tempfile.TemporaryDirectory() as folder:
        report, page = Path(folder) / "report.html", Path(folder) / "page.html"
        run.report(report)
        save_page(mechanism_page(model), page)
        for name, address in (("report", local(report)), ("page", local(page))):
            for scheme in ("light", "dark"):
                with opened(running, address, bypass_csp=True, color_scheme=scheme) as (view, _):
                    view.wait_for_function("() => linkwright.viewer.play")
                    view.click("#take-over")
                    found = findings(view)
                    print(f"{name}, {scheme}: {len(found)} findings")
                    for impact, rule, text, where in found:
                        print(f"  {impact}: {rule}: {text}: {', '.join(map(str, where[:4]))}")
                    worst += sum(impact in ("serious", "critical", "moderate") for impact, *_ in found)
    return min(worst, 1)


if __name__ == "__main__":
    sys.exit(main())
