"""Pictures of catalog mechanisms, to be looked at: `python -m tests.web.screenshots [FOLDER] [NAME ...]`.

Each page stands in the reader's hands, on a phone and a desk, light and dark; all pictures of a kind are on one sheet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PIL import Image

import linkwright as lw
from linkwright.viewer.page import mechanism_page, save_page
from tests.web.browser import browser, local, opened

SIZES: dict[str, dict[str, Any]] = {
    "phone": {"size": (390, 780), "has_touch": True, "is_mobile": True},
    "desk": {"size": (1280, 760)},
}
ACROSS = {"phone": 10, "desk": 5}


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, list[Path]] = {}
    with browser() as running:
        for name in arguments[1:] or lw.catalog.names():
            file = Path(save_page(mechanism_page(lw.build(lw.catalog.load(name))), folder / f"{name}.html"))
            for size, options in SIZES.items():
                for scheme in ("light", "dark"):
                    picture = folder / f"{name}-{size}-{scheme}.png"
                    _take(running, file, picture, color_scheme=scheme, **options)
                    pictures.setdefault(f"{size}-{scheme}", []).append(picture)
    for kind, files in pictures.items():
        _sheet(files, ACROSS[kind.split("-")[0]], folder / f"all-{kind}.png")


def _take(running: Any, file: Path, picture: Path, **options: Any) -> None:
    with opened(running, local(file), **options) as (page, witness):
        page.evaluate("() => linkwright.viewer.clock.seek(0.6)")
        page.wait_for_timeout(200)
        if page.evaluate("() => Boolean(linkwright.data.engine)"):
            page.wait_for_function("() => linkwright.viewer.play")
            page.evaluate("() => linkwright.viewer.play.take()")
            page.wait_for_timeout(600)
        page.screenshot(path=picture)
        print(f"{picture}, drawn in {page.get_attribute('#linkwright', 'data-drawn')} ms {witness.errors or ''}")


def _sheet(files: list[Path], across: int, path: Path) -> None:
    """All pictures on one, at half their size."""
    images = [Image.open(file) for file in files]
    wide, tall = (x // 2 for x in images[0].size)
    sheet = Image.new("RGB", (wide * min(across, len(files)), tall * -(-len(files) // across)))
    for i, image in enumerate(images):
        sheet.paste(image.resize((wide, tall)), (wide * (i % across), tall * (i // across)))
    sheet.save(path)


if __name__ == "__main__":
    main(sys.argv[1:])
