"""`linkwright sweep`: measures of many designs of a mechanism; shards of a job array are joined by --merge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import ReadableFile, json_option
from linkwright.cli.outputs import allow_outside_option, claim_file, is_overwriting, output_option, overwrite_option
from linkwright.errors import Exit

_REASONS = 5  # of failures that are shown
_BEST = {"condition": False, "manipulability": True, "type1": True, "type2": True, "constraint": True}


@click.command(short_help="Measures of many designs: a grid or sample of a mechanism's parameters.")
@click.argument("files", type=ReadableFile(), nargs=-1, required=True)
@click.option("--processes", type=click.IntRange(1, 4096), help="Local processes.  [default: this one]")
@click.option("--scheduler", help="Address of a dask scheduler, tcp://host:8786 (extra 'cluster').")
@click.option("--shard", help="Part i/n of a job array, counted from 1: 3/10; join them with --merge.")
@click.option("--merge", is_flag=True, help="Join FILES, what --shard wrote (or .parts folders), into one file.")
@output_option("--output", kind=None, more=".npz, .parquet or .csv.  [default: as in the file, else NAME.npz]")
@overwrite_option
@allow_outside_option
@json_option
@reporting_errors
def sweep(
    files: tuple[str, ...],
    merge: bool,
    processes: int | None,
    scheduler: str | None,
    shard: str | None,
    output: str | None,
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Judge the designs that a file describes: a mechanism, its varied parameters, poses and measures.

    Finished parts are kept: after Ctrl-C or a crash the same command goes on.

    \b
    Examples:
      linkwright sweep designs.yaml
      linkwright sweep designs.yaml --processes 8 --output designs.parquet
      linkwright sweep designs.yaml --shard 3/10
      linkwright sweep designs.npz --merge --output designs.npz
      linkwright sweep designs.yaml --scheduler tcp://10.0.0.5:8786
    """
    import linkwright as lw
    from linkwright.analysis.designs import designs_of
    from linkwright.files import require_inside
    from linkwright.formats.study.sweeps import load_sweep

    if merge:
        _merge(files, output, as_json)
        return
    if len(files) != 1:
        raise click.UsageError(f"give one study; {len(files)} files are for --merge")
    (file,) = files
    if processes is not None and scheduler is not None:
        raise click.UsageError("--processes and --scheduler exclude each other; give one")
    described = load_sweep(file)
    named = described.output if output is None else output
    path = Path(f"{Path(file).stem}.npz" if named is None else named)
    if output is None and not allow_outside:
        require_inside(path, "the study saves its sweep", "give another file (--output)")
    if shard is None:
        claim_file(str(path), "sweep", endings=True)
    function, over = designs_of(described, mechanism_beside(described.mechanism, Path(file).parent), Path(file).parent)
    part = None if shard is None else _typed_shard(shard)
    try:
        with _sweep_progress() as shown:
            found = lw.sweep(
                function,
                over,
                processes or scheduler,
                path=path,
                shard=part,
                overwrite=is_overwriting(),
                progress=shown,
            )
    except KeyboardInterrupt:
        raise CommandFailure(
            f"interrupted; finished parts are in {path}.parts, and the same command goes on", Exit.INTERRUPTED
        ) from None
    _summarize_sweep(found, function.measures, f"{path}.parts" if part else str(path), as_json)


def _merge(parts: tuple[str, ...], output: str | None, as_json: bool) -> None:
    """Join outputs (or .parts folders) of shards into one file."""
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.sweeps import merge as merge_parts

    if output is None:
        raise click.UsageError("--merge needs --output, the file of all shards")
    found = merge_parts(list(parts), claim_file(output, "sweep", endings=True))
    if as_json:
        click.echo(json.dumps({"points": len(found), "failed": len(found.failures), "file": output}))
    else:
        print_paragraph(f"{len(found)} points, {len(found.failures)} failed. Written: {output}")
    _require_a_success(found)


def mechanism_beside(name: str, folder: Path) -> Any:
    """A mechanism by its catalog name or its file, which is looked for beside the study."""
    from linkwright.cli.mechanisms import import_mechanism

    beside = folder / name
    return import_mechanism(str(beside) if beside.is_file() else name).mechanism


def _typed_shard(written: str) -> tuple[int, int]:
    i, slash, n = written.partition("/")
    if not (slash and i.isdigit() and n.isdigit() and 1 <= int(i) <= int(n)):
        raise click.UsageError(f"--shard {written}: write i/n with i from 1 to n, for example 3/10")
    return int(i) - 1, int(n)


@contextmanager
def _sweep_progress() -> Iterator[Callable[[Any], None] | None]:
    """A bar with rate and remaining time where the error stream is a terminal."""
    import sys

    from linkwright.cli.progress_line import is_quiet, other_progress

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


def _summarize_sweep(found: Any, measures: Any, path: str, as_json: bool) -> None:
    """Print the number of designs, the failures and the best design by each measure."""
    from linkwright.cli.printed_tables import print_paragraph, print_table

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
        print_paragraph(f"{len(found)} designs, {len(found.failures)} failed. Written: {path}")
        for reason, count in Counter(found.failures.values()).most_common(_REASONS):
            print_paragraph(f"  {count} failed: {reason}")
        for column, row in best.items():
            print_table(f"Best {column}", ["", "value"], [[name, f"{x:.6g}"] for name, x in row.items()])
    _require_a_success(found)


def _require_a_success(found: Any) -> None:
    """End with an error where every design failed."""
    if len(found.failures) == len(found):
        reason = Counter(found.failures.values()).most_common(1)[0][0]
        raise CommandFailure(f"every one of the {len(found)} designs failed; most often: {reason}", Exit.NOT_CLOSED)
