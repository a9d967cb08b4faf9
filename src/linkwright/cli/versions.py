"""`linkwright --version`, and with `--verbose` what a bug report needs."""

from __future__ import annotations

from typing import Any

import click

from linkwright.version import __version__

VERBOSE = "linkwright.verbose"
_NEEDED = ("numpy", "scipy", "llvmlite", "ruamel.yaml", "pydantic", "click", "rich")
_EXTRAS = ("matplotlib", "mujoco", "trimesh", "casadi", "pandas", "xarray", "pyarrow", "distributed", "jax", "torch")


def remember_verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Note that --version shall print everything."""
    ctx.meta[VERBOSE] = value


def print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the version, or all of `version_details`, and end."""
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"linkwright, version {__version__}")
    if ctx.meta.get(VERBOSE):
        for name, text in version_details().items():
            click.echo(f"{name + ':':12} {text}")
    ctx.exit()


def version_details() -> dict[str, str]:
    """Versions, system, processor and cache, by name.

    >>> sorted(version_details())
    ['cache', 'extras', 'packages', 'processor', 'python', 'system', 'threads']
    """
    import os
    import platform

    from linkwright.cli.call_timing import computer_description
    from linkwright.compiler.runtime.code import VARIABLE, available_threads

    about = computer_description()
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.platform()}",
        "processor": f"{about['processor']}, {about['cores']} cores",
        "threads": f"{available_threads()} for batches, {VARIABLE} {os.environ.get(VARIABLE, 'not set')}",
        "packages": _package_versions(_NEEDED),
        "extras": _package_versions(_EXTRAS) or "none",
        "cache": _cache_description(),
    }


def _package_versions(names: Any) -> str:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def _cache_description() -> str:
    from linkwright.compiler.cache import cache_folder

    folder = cache_folder()
    if folder is None:
        return "off"
    sizes = [each.stat().st_size for each in folder.rglob("*") if each.is_file()]
    return f"{folder}, {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB"
