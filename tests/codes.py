"""The codes of findings that docs/reference/findings.md lists."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "findings.md"


def _listed() -> frozenset[str]:
    tables = re.findall(r"^\| code \|.*?\n\n", PAGE.read_text(encoding="utf-8") + "\n\n", re.MULTILINE | re.DOTALL)
    cells = [line.split("|")[1] for table in tables for line in table.splitlines()[2:] if line]
    return frozenset(code for cell in cells for code in re.findall(r"`(.*?)`", cell))


CODES = _listed()
