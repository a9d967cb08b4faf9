"""Files that verbs write: endings of names, and one rule for existing files.

A verb replaces a result of the same kind that linkwright wrote. It refuses other existing files before anything is
computed: files of another origin, mechanism files and studies, which people edit, and sweeps, which took long.
`--overwrite` replaces these too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure
from linkwright.errors import Exit, LinkwrightError

_OVERWRITE = "linkwright.overwrite"
_KINDS = {  # the kinds are imported when a file is named, so that --help is fast
    "code": "linkwright.export.export_files.CODE",
    "study result": "linkwright.results.study_result.STUDY_RESULT",
    "figure": "linkwright.plots.figures.FIGURE",
    "function": "linkwright.export.export_files.FUNCTION",
    "mechanism": "linkwright.formats.mechanism_files.mechanism_file_kind",
    "page": "linkwright.viewer.page.PAGE",
    "run": "linkwright.results.result_reader.RUN",
    "study": "linkwright.formats.study.study_files.STUDY",
    "sweep": "linkwright.sweeps.sweep_record.SWEEP",
    "unit": "linkwright.export.fmi.unit.UNIT",
    "view": "linkwright.viewer.page.VIEW",
    "workspace": "linkwright.analysis.region.workspace_record.WORKSPACE",
}


def _remember_overwrite(ctx: click.Context, param: click.Parameter, overwrite: bool) -> None:
    ctx.meta[_OVERWRITE] = overwrite


overwrite_option = click.option(
    "--overwrite",
    is_flag=True,
    is_eager=True,  # before the names of files are looked at
    expose_value=False,
    callback=_remember_overwrite,
    help="Replace existing files, also those that linkwright did not write.",
)

allow_outside_option = click.option(
    "--allow-outside", is_flag=True, help="Let a study name an output file outside the current folder."
)


def is_overwriting() -> bool:
    """Return True if --overwrite was given."""
    return bool(click.get_current_context().meta.get(_OVERWRITE))


_MEANINGS = {  # of options that name a file
    "--output": "The file or folder to write.",
    "--report": "An HTML page to write.",
    "--plot": "A figure to write: .pdf, .svg or .png.",
    "--save-mechanism": "A mechanism file to write with the values that were found.",
    "--suggest": "A mechanism file to write with exact axes, and lengths that close, for rounded ones.",
    "--save-run": "A run to write: .npz, .csv, .mat or .nc.",
    "--save-study": "A study file to write that repeats this run exactly.",
    "--export": "The boundary to write as .ply or .vtk, the grid as .vti, or both as .json.",
    "--view": "A page to write: the region as a layer at the mechanism.",
}


def output_option(name: str, *names: str, kind: str | None, more: str = "", **settings: Any) -> Callable[..., Any]:
    """Option that names a file of some kind; ending and existing file are checked before anything is computed.

    A verb that knows the kind later (None) claims the file itself. `more` says what is special in this verb.
    """

    def checked(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        return path if path is None or kind is None else claim_file(path, kind, endings=True)

    text = f"{_MEANINGS[name]}  {more}".strip()
    return click.option(name, *names, callback=checked, metavar="FILE", help=text, **settings)


def claim_file(path: str, kind: str, endings: bool = False) -> str:
    """Return the name of a file to write; refuse one that cannot be written, or whose file must not be replaced."""
    from linkwright.files import require_writable

    _require_free(path, kind, endings)
    try:
        require_writable(path)
    except LinkwrightError as error:
        raise CommandFailure(str(error), error.exit_code) from None
    return path


def _require_free(path: str, kind: str, endings: bool = False) -> None:
    from linkwright.files import require_replaceable

    module, _, name = _KINDS[kind].rpartition(".")
    found = getattr(import_module(module), name)
    found = found() if callable(found) else found  # formats may be registered later
    if endings and found.endings and os.path.splitext(path)[1].lower() not in found.endings:
        raise click.BadParameter(f"'{path}' ends in none of {', '.join(found.endings)}; choose one of these")
    try:
        if not is_overwriting():
            require_replaceable(path, found)
    except LinkwrightError as error:
        raise CommandFailure(str(error), Exit.USAGE) from None


def require_new_folder(folder: str) -> None:
    """Refuse a folder that is not there and cannot be made, or is there and cannot be written into."""
    from linkwright.files import require_writable

    there = os.path.abspath(folder)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise CommandFailure(f"{folder}: '{there}' is a file; name a folder", Exit.BAD_FILE)
    try:
        require_writable(os.path.join(there, "linkwright"))
    except LinkwrightError as error:
        raise CommandFailure(str(error).replace(os.path.join(there, "linkwright"), there), error.exit_code) from None


def claim_folder(folder: str, names: Iterable[str]) -> str:
    """Return the folder of generated files; refuse it if some of these names are taken, and none by generated code."""
    refused = None
    for name in names:
        path = os.path.join(folder, name)
        try:
            _require_free(path, "code")
            if os.path.exists(path):
                return folder
        except CommandFailure as error:
            refused = refused or error
    if refused:
        raise refused
    return folder


class RequestedFiles:
    """Files of a result: one that cannot be written after all does not keep the result from being printed."""

    def __init__(self, written: Iterable[str] = ()) -> None:
        self.written: list[str] = [*written]
        self.failures: list[LinkwrightError] = []

    def write(self, writer: Callable[[str], Any], path: str | None) -> None:
        """Let `writer` write a file, unless the path is None."""

        if path is None:
            return
        try:
            writer(path)
        except LinkwrightError as error:
            self.failures.append(error)
        else:
            self.written.append(path)

    def report(self, as_json: bool = False) -> None:
        """Name the files that were written; end with an error where some were not. Call it after the result."""
        if not as_json:
            say_written(*self.written)
        if self.failures:
            texts = "; ".join(str(error) for error in self.failures)
            raise CommandFailure(f"{texts}; the result is printed above", self.failures[0].exit_code)


def say_written(*paths: str | None) -> None:
    """Name the files that a verb wrote."""
    from linkwright.cli.printed_tables import print_paragraph

    for path in filter(None, paths):
        print_paragraph(f"Written: {path}")
