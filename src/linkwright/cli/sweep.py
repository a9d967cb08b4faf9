"""`linkwright sweep`: measures of many designs of a mechanism, and `linkwright merge`, which joins shards."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from linkwright.cli.failures import CommandFailure, reporting_errors
from linkwright.cli.file_names import ReadableFile
from linkwright.cli.outputs import allow_outside_option, claim, output_option, overwrite_option, overwriting
from linkwright.errors import Exit

_REASONS = 5  # of failures that are shown
_BEST = {"condition": False, "manipulability": True, "type1": True, "type2": True, "constraint": True}


@click.command(short_help="Measures of many designs: a grid or sample of a mechanism's parameters.")
@click.argument("file", type=ReadableFile())
@click.option("--processes", type=click.IntRange(1, 4096), help="Local processes.  [default: this one]")
@click.option("--scheduler", help="Address of a dask scheduler, tcp://host:8786 (extra 'cluster').")
@click.option("--shard", help="Part i/n of a job array, counted from 1: 3/10; join with merge.")
@click.option("--output", help="File: .npz, .parquet or .csv.  [default: as in FILE, else NAME.npz]")
@overwrite_option
@allow_outside_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@reporting_errors
def sweep(
    file: str,
    processes: int | None,
    scheduler: str | None,
    shard: str | None,
    output: str | None,
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Judge the designs that FILE describes: a mechanism, its varied parameters, poses and measures.

    Finished parts are kept: after Ctrl-C or a crash the same command goes on.

    \b
    Examples:
      linkwright sweep designs.yaml
      linkwright sweep designs.yaml --processes 8 --output designs.parquet
      linkwright sweep designs.yaml --shard 3/10
      linkwright sweep designs.yaml --scheduler tcp://10.0.0.5:8786
    """
    import linkwright as lw
    from linkwright.analysis.design_files import designs_of
    from linkwright.files import require_inside
    from linkwright.formats.study.sweeps import load_sweep

    if processes is not None and scheduler is not None:
        raise click.UsageError("--processes and --scheduler exclude each other; give one")
    described = load_sweep(file)
    named = described.output if output is None else output
    path = Path(f"{Path(file).stem}.npz" if named is None else named)
    if output is None and not allow_outside:
        require_inside(path, "the study saves its sweep", "give another file (--output)")
    if shard is None:
        claim(str(path), "sweep", endings=True)
    function, over = designs_of(described, mechanism_beside(described.mechanism, Path(file).parent), Path(file).parent)
    part = None if shard is None else _shard(shard)
    try:
        with _progress() as shown:
            found = lw.sweep(
                function, over, processes or scheduler, path=path, shard=part, overwrite=overwriting(), progress=shown
            )
    except KeyboardInterrupt:
        raise CommandFailure(
            f"interrupted; finished parts are in {path}.parts, and the same command goes on", Exit.INTERRUPTED
        ) from None
    _summarize(found, function.measures, f"{path}.parts" if part else str(path), as_json)


@click.command(short_help="One file of the shards of a sweep.")
@click.argument("parts", nargs=-1, required=True)
@output_option("--output", kind="sweep", required=True, help="File: .npz, .parquet or .csv.")
@overwrite_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@reporting_errors
def merge(parts: tuple[str, ...], output: str, as_json: bool) -> None:
    """Join PARTS, the outputs (or .parts folders) of `sweep --shard`, into one file.

    \b
    Example:
      linkwright merge designs.npz --output designs.npz
    """
    from linkwright.cli.tables import say
    from linkwright.sweeps import merge as merged

    found = merged(list(parts), output)
    if as_json:
        click.echo(json.dumps({"points": len(found), "failed": len(found.failures), "file": output}))
    else:
        say(f"{len(found)} points, {len(found.failures)} failed. Written: {output}")
    _require_a_success(found)


def mechanism_beside(name: str, folder: Path) -> Any:
    """A mechanism by its catalog name or its file, which is looked for beside the study."""
    from linkwright.cli.mechanisms import imported

    beside = folder / name
    return imported(str(beside) if beside.is_file() else name).mechanism


def _shard(written: str) -> tuple[int, int]:
    i, slash, n = written.partition("/")
    if not (slash and i.isdigit() and n.isdigit() and 1 <= int(i) <= int(n)):
        raise click.UsageError(f"--shard {written}: write i/n with i from 1 to n, for example 3/10")
    return int(i) - 1, int(n)


@contextmanager
def _progress() -> Iterator[Callable[[Any], None] | None]:
    """A bar with rate and remaining time where the error stream is a terminal."""
    import sys

    from linkwright.cli.progress import is_quiet, other_progress

    if is_quiet() or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    other_progress()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task("designs", total=None)

        def shown(state: Any) -> None:
            text = f"{state.done} of {state.total} designs, {state.rate:.0f} per second, {state.remaining:.0f} s to go"
            bar.update(line, total=state.total, completed=state.done, description=text)

        yield shown


def _summarize(found: Any, measures: Any, path: str, as_json: bool) -> None:
    """Print the number of designs, the failures and the best design by each measure."""
    from linkwright.cli.tables import say, show

    best = {}
    for name in measures:
        column = f"{name}_worst"
        if column in found.values and any(x == x for x in found[column].tolist()):
            best[column] = found.best(column, largest=_BEST.get(name, False))
            if len(found) < found.meta["of"]:
                del best[column]["index"]  # of a shard; it is another one in the whole sweep
    if as_json:
        reasons = {str(i): reason for i, reason in found.failures.items()}
        click.echo(json.dumps({"designs": len(found), "failed": reasons, "best": best, "file": path}))
    else:
        say(f"{len(found)} designs, {len(found.failures)} failed. Written: {path}")
        for reason, count in Counter(found.failures.values()).most_common(_REASONS):
            say(f"  {count} failed: {reason}")
        for column, row in best.items():
            show(f"Best {column}", ["", "value"], [[name, f"{x:.6g}"] for name, x in row.items()])
    _require_a_success(found)


def _require_a_success(found: Any) -> None:
    """End with an error where every design failed."""
    if len(found.failures) == len(found):
        reason = Counter(found.failures.values()).most_common(1)[0][0]
        raise CommandFailure(f"every one of the {len(found)} designs failed; most often: {reason}", Exit.NOT_CLOSED)
