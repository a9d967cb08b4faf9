"""Pictures of every catalog mechanism, to be looked at: `python -m tests.web.screenshots [FOLDER] [NAME ...]`."""

from __future__ import annotations

import sys
from pathlib import Path

import linkwright as lw
from linkwright.viewer.page import mechanism_page, save_page
from tests.web.browser import browser, local, opened


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as running:
        for name in arguments[1:] or lw.catalog.names():
            file = Path(save_page(mechanism_page(lw.build(lw.catalog.load(name))), folder / f"{name}.html"))
            with opened(running, local(file), size=(900, 600)) as (page, witness):
                page.evaluate("() => linkwright.viewer.clock.seek(0.6)")
                page.wait_for_timeout(200)
                page.screenshot(path=folder / f"{name}.png")
                drawn = page.get_attribute("#linkwright", "data-drawn")
            print(f"{name}: {folder / name}.png, drawn in {drawn} ms {witness.errors or ''}")


if __name__ == "__main__":
    main(sys.argv[1:])
