"""`linkwright sweep`: measures of many designs of a mechanism; shards of a job array are joined by --merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import ReadableFile, deliver_study, option, study_options
from linkwright.cli.outputs import allow_outside_option, claim_file, is_overwriting
from linkwright.errors import Exit


@click.command(short_help="Measures of many designs: a grid or sample of a mechanism's parameters.")
@click.argument("files", type=ReadableFile(), nargs=-1, required=True)
@click.option("--processes", type=click.IntRange(1, 4096), help="Local processes.  [default: this one]")
@click.option("--scheduler", help="Address of a dask scheduler, tcp://host:8786 (extra 'cluster').")
@click.option("--shard", help="Part i/n of a job array, counted from 1: 3/10; join them with --merge.")
@click.option("--merge", is_flag=True, help="Join FILES, what --shard wrote (or .parts folders), into one file.")
@option("--max-seconds", more="The same command goes on.")
@allow_outside_option
@partial(study_options, numbers="[default: as in the file, else NAME.npz]  The designs", kind=None)
@reporting_errors
def sweep(
    files: tuple[str, ...],
    merge: bool,
    processes: int | None,
    scheduler: str | None,
    shard: str | None,
    max_seconds: float | None,
    output: str | None,
    allow_outside: bool,
    **shown: Any,
) -> None:
    """Judge the designs that a file describes: a mechanism, its varied parameters, poses and measures.

    Finished parts are kept in NAME.npz.parts: after Ctrl-C or a crash the same command goes on.

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
        _merge(files, output, shown)
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
    with _sweep_progress() as progress:
        found = lw.sweep(
            function,
            over,
            processes or scheduler,
            path=path,
            shard=part,
            overwrite=is_overwriting(),
            progress=progress,
            max_seconds=max_seconds,
        )
    _deliver_sweep(found, f"{path}.parts" if part or len(found) < len(over) else str(path), shown)


def _merge(parts: tuple[str, ...], output: str | None, shown: dict[str, Any]) -> None:
    """Join outputs (or .parts folders) of shards into one file."""
    from linkwright.sweeps import merge as merge_parts

    if output is None:
        raise click.UsageError("--merge needs --output, the file of all shards")
    _deliver_sweep(merge_parts(list(parts), claim_file(output, "sweep", endings=True)), output, shown)


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


def _deliver_sweep(found: Any, path: str, shown: dict[str, Any]) -> None:
    """Print a sweep whose designs are in a file already; end with an error where every one of them failed."""
    deliver_study(found, **shown, output=None, written=(path,))
    if len(found.failures) == len(found):
        reason = Counter(found.failures.values()).most_common(1)[0][0]
        raise CommandFailure(f"every one of the {len(found)} designs failed; most often: {reason}", Exit.NOT_CLOSED)
