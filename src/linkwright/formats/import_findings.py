"""Results of reading a file: the mechanism with its findings, or one error with everything wrong with the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from linkwright.dataclass import dataclass
from linkwright.errors import FormatError
from linkwright.findings import Finding
from linkwright.mechanism import Mechanism

_SHOWN = 40


@dataclass(frozen=True)
class Imported:
    """A mechanism and what its import dropped, assumed or doubted, in the order of the file."""

    mechanism: Mechanism
    notes: tuple[Finding, ...] = ()


def refuse_file(file: str, found: Iterable[Finding]) -> NoReturn:
    """Raise one `FormatError` that lists all findings in the order of the file."""
    placed = (replace(finding, file=file) for finding in found)
    findings = tuple(sorted(dict.fromkeys(placed), key=lambda finding: finding.line))
    lines = [str(finding) for finding in findings[:_SHOWN]]
    if len(findings) > _SHOWN:
        lines.append(f"{file}: and {len(findings) - _SHOWN} more")
    if len(lines) > 1:
        lines = [f"{file}: {len(findings)} problems", *("  " + line for line in lines)]
    raise FormatError("\n".join(lines), findings, file=file) from None


def refuse_one(file: str, code: str, message: str, fix: str = "", line: int = 0) -> NoReturn:
    """Raise a `FormatError` for one thing that is wrong with a file as a whole."""
    refuse_file(file, [Finding(code, message, fix, line=line)])
