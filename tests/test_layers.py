"""Layers: the imports under src/linkwright follow one table and one direction."""

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "linkwright"
PUBLIC = "__init__"  # linkwright/__init__.py re-exports the public names, so it may import everything


@dataclass(frozen=True)
class Package:
    """Imports besides those of all packages (`EVERYWHERE`), itself and the standard library."""

    packages: str = ""
    libraries: str = ""
    lazy: str = ""


EVERYWHERE = (
    "dataclass errors findings generated_text readable_text version lazy checks files numerics plugins worker_processes"
)
NETWORK = "socket socketserver http asyncio ssl xmlrpc ftplib smtplib urllib.request wsgiref"
BELOW_FUNCTIONS = "formulations loops recursion mechanism forces joints algebra compiler"
BELOW_MODEL = f"gradients dynamics kinematics plans functions {BELOW_FUNCTIONS}"

PACKAGES = {
    "dataclass": Package(lazy="readable_text"),
    "readable_text": Package("findings lazy dataclass"),
    "findings": Package(),
    "generated_text": Package(),
    "worker_processes": Package(),
    "errors": Package("findings"),
    "version": Package(),
    "lazy": Package(),
    "quiet_start": Package(),
    "plugins": Package(),
    "method_registry": Package(),
    "checks": Package(libraries="numpy"),
    "files": Package("errors"),
    "numerics": Package(libraries="numpy"),
    "algebra": Package(libraries="numpy"),
    "joints": Package("algebra", "numpy"),
    "forces": Package("algebra", "numpy"),
    "mechanism": Package("forces joints algebra", "numpy"),
    "formats": Package(
        "mechanism forces joints algebra method_registry",
        "numpy ruamel.yaml pydantic",
        lazy="fast_simplification mujoco trimesh xacro",
    ),
    "catalog": Package("formats mechanism"),
    "recursion": Package("algebra joints forces mechanism", "numpy"),
    "loops": Package("recursion mechanism forces joints algebra", "numpy"),
    "formulations": Package("loops recursion mechanism forces joints algebra", "numpy"),
    "compiler": Package(libraries="numpy llvmlite"),
    "functions": Package(BELOW_FUNCTIONS, "numpy"),
    "plans": Package(f"functions {BELOW_FUNCTIONS}", "numpy scipy"),
    "kinematics": Package(f"plans functions {BELOW_FUNCTIONS}", "numpy scipy"),
    "dynamics": Package(f"kinematics plans functions {BELOW_FUNCTIONS}", "numpy scipy"),
    "gradients": Package(f"dynamics kinematics plans functions {BELOW_FUNCTIONS}", "numpy scipy"),
    "model": Package(BELOW_MODEL, "numpy"),
    "results": Package("formats", "numpy scipy", lazy="pandas xarray"),
    "simulation": Package(f"model control results formats method_registry {BELOW_MODEL}", "numpy scipy"),
    "export": Package(f"model simulation formats {BELOW_MODEL}", "numpy", lazy="casadi control gymnasium jax torch"),
    "control": Package("model results compiler algebra", "numpy scipy"),
    "analysis": Package(f"model control simulation formats sweeps {BELOW_MODEL} results", "numpy scipy", lazy="toppra"),
    "plots": Package("results", "numpy", lazy="matplotlib"),
    "viewer": Package(
        "model simulation kinematics functions compiler mechanism joints recursion algebra formats results",
        "numpy",
        lazy="PIL imageio_ffmpeg",
    ),
    "papers": Package(
        f"catalog formats control simulation analysis plots model {BELOW_MODEL} results",
        "numpy scipy",
    ),
    "sweeps": Package("results formats mechanism", "numpy", lazy="scipy distributed cloudpickle pyarrow"),
    "beams": Package("mechanism joints model"),
    "shapes": Package(),  # lists of names, imported when they are asked for
    "types": Package(),
    "events": Package("simulation"),
    "cli": Package("everything", "click rich"),
    "__main__": Package("cli quiet_start"),
}


@dataclass(frozen=True)
class Import:
    name: str  # dotted, as far as it is known: `from numpy import sin` is numpy.sin
    line: int
    relative: bool = False
    lazy: bool = False


def imports(tree: ast.AST, lazy: bool = False) -> list[Import]:
    """Every import in the syntax tree, also inside functions, `if TYPE_CHECKING` and `import_module("...")`."""
    found = []
    for node in ast.iter_child_nodes(tree):
        found += [Import(name, node.lineno, relative, lazy) for name, relative in named(node)]
        found += imports(node, lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))
    return found


def named(node: ast.AST) -> list[tuple[str, bool]]:
    match node:
        case ast.Import(names=names):
            return [(alias.name, False) for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            return [(f"{module}.{alias.name}" if module else alias.name, level > 0) for alias in names]
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [(name, name.startswith("."))]
    return []


def package_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def complaint(package: str, found: Import) -> str | None:
    """Reason why `package` may not have this import, or None when it may."""
    allowed = PACKAGES[package]
    if found.relative:
        return "is relative: write it in full, from linkwright"
    top, _, rest = found.name.partition(".")
    if top == "linkwright":
        target = rest.partition(".")[0]
        reachable = {*EVERYWHERE.split(), package, *allowed.packages.split()}
        if allowed.packages == "everything" or target in reachable:
            return None
        return f"is not allowed: {package} may import {allowed.packages or 'no other package'} (and errors, and itself)"
    if within(found.name, NETWORK) and package != "sweeps":
        return "is not allowed: nothing but sweeps, which connect to a scheduler, uses the network or opens a port"
    if top in sys.stdlib_module_names or within(found.name, allowed.libraries):
        return None
    if within(found.name, allowed.lazy):
        return None if found.lazy else "must stay inside the function that needs it: the library is optional"
    libraries = f"{allowed.libraries} {allowed.lazy}".strip()
    return f"is not allowed: {package} may use {libraries or 'no third-party library'} (and the standard library)"


def within(name: str, libraries: str) -> bool:
    return any(f"{name}.".startswith(f"{library}.") for library in libraries.split())


@cache
def tree_of(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


def violations(tree: ast.AST, package: str, shown_as: str) -> list[str]:
    if package == PUBLIC:
        found = [(each, "is relative" if each.relative else None) for each in imports(tree)]
    else:
        found = [(each, complaint(package, each)) for each in imports(tree)]
    return [f"{shown_as}:{each.line}: import of {each.name} {why}" for each, why in found if why]


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("package", sorted({package_of(path) for path in FILES}))
def test_imports_stay_within_the_layers(package):
    assert package in {PUBLIC, *PACKAGES}, f"unknown package '{package}'; the packages are {', '.join(PACKAGES)}"
    own = [path for path in FILES if package_of(path) == package]
    bad = [line for path in own for line in violations(tree_of(path), package, path.relative_to(ROOT).as_posix())]
    assert not bad, "\n" + "\n".join(bad)


def test_the_table_has_one_direction():
    graph = {name: package.packages.split() for name, package in PACKAGES.items() if package.packages != "everything"}
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError when two packages depend on each other


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> dict[str, list[Import]]:
    """The imports of every module; read when a test needs them, not while tests are collected."""
    return {module_of(path): imports(tree_of(path)) for path in FILES}


def imported_modules(names: Iterable[Import]) -> set[str]:
    """The file that each import reads: the module itself, or the one that a name is imported from."""
    found = (each.name if each.name in modules() else each.name.rpartition(".")[0] for each in names)
    return {name for name in found if name in modules()}


def import_cycle(package: str) -> list[str]:
    """Files of a package that import each other in a circle; empty when there are none."""
    own = {name for name in modules() if f"{name}.".startswith(f"linkwright.{package}.")}
    if package == "compiler":
        own = {name for name in own if not name.startswith("linkwright.compiler.native")}
    graph = {name: sorted(imported_modules(modules()[name]) & own - {name}) for name in own}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("package", ["compiler.native", *(name for name in PACKAGES if (SOURCE / name).is_dir())])
def test_files_of_a_package_do_not_import_each_other_in_a_circle(package):
    cycle = import_cycle(package)
    assert not cycle, " -> ".join(cycle)


# What sub-packages may import of their package, besides those modules beside them that are not named here.
SUBPACKAGES = {
    "compiler": {
        "trace": "",
        "passes": "trace",
        "codegen": "passes trace",
        "cache": "passes trace",
        "runtime": "cache codegen passes trace",
        "native": "runtime cache codegen passes trace",
    },
    "functions": {"tree": "", "loop": "tree", "stepping": "loop tree"},
    "kinematics": {"dragging": "", "measures": ""},
    "formats": {"yaml": "", "mjcf": "", "sdf": "", "urdf": "sdf yaml", "study": "yaml"},
    "simulation": {
        "drivers": "",
        "problem": "drivers",
        "running": "problem drivers switching",  # a request names its switches
        "switching": "running problem drivers",
        "ensemble": "switching running problem drivers",
    },
    "export": {"c": "", "fmi": "c", "ros2": "", "web": "c", "transmissions": "c web"},
    "analysis": {
        "check": "",
        "explanation": "",
        "identification": "",
        "sizing": "",
        "interference": "",
        "performance": "",
        "motions": "interference performance",
        "region": "interference performance",
        "paths": "motions",
        "deviations": "motions performance",
        "optimization": "deviations motions performance",
    },
    "papers": {
        "gallery": "hanzaki khan rao saha wang",
        **dict.fromkeys(("hanzaki", "khan", "rao", "saha", "wang"), "gallery"),  # its claims are records of the gallery
    },
}


def subpackages(package: str) -> set[str]:
    return {path.parent.name for path in (SOURCE / package).glob("*/__init__.py")}


@pytest.mark.parametrize("package", sorted({path.parts[-3] for path in SOURCE.glob("*/*/__init__.py")}))
def test_subpackages_import_what_their_table_allows(package):
    table = SUBPACKAGES[package]
    assert table.keys() >= subpackages(package)
    used: dict[str, set[str]] = {name: set() for name in table}
    for name in modules():
        part = name.removeprefix(f"linkwright.{package}.").partition(".")[0]
        if name.startswith(f"linkwright.{package}.") and part in table:
            found = (each.split(".") for each in imported_modules(modules()[name]))
            used[part] |= {each[2] for each in found if len(each) > 2 and each[1] == package and each[2] in table}
    bad = {name: used[name] - {name, *allowed.split()} for name, allowed in table.items()}
    assert {name: more for name, more in bad.items() if more} == {}
    assert {name for name, allowed in table.items() if set(allowed.split()) - used[name]} == set(), "not needed"


ABOVE_MODEL = ("simulation", "export", "control", "analysis", "viewer", "papers", "plots", "cli")
PARTS_OF_MODELS = {"kernels", "loop_kernels", "kinematics", "dynamics", "cache", "nominal_cache"}


def reached_through_models(tree: ast.AST) -> list[str]:
    """Values taken out of a model's parts: `model.kinematics.scales`. Calls and parts as wholes are no such thing."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_part_of_model(node.value) and id(node) not in called
    ] + [
        f"{node.lineno}: {ast.unparse(node)} is private"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and is_model(node.value)
    ]


def is_part_of_model(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in PARTS_OF_MODELS and is_model(node.value)


def is_model(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in ("model", "_model")


@pytest.mark.parametrize("package", ABOVE_MODEL)
def test_nobody_reaches_through_a_model_into_its_parts(package):
    """What other packages need to know of a model is an attribute of the model, so that its parts can change."""
    own = [path for path in FILES if package_of(path) == package]
    bad = [
        f"{path.relative_to(ROOT).as_posix()}:{each}" for path in own for each in reached_through_models(tree_of(path))
    ]
    assert not bad, "\n" + "\n".join(bad)


@pytest.mark.parametrize("bad", ["model.kernels.setup", "run.model.kinematics.scales.length", "self._model._rows"])
def test_the_checker_sees_what_reaches_through_a_model(bad):
    assert len(reached_through_models(ast.parse(bad))) == 1
    assert not reached_through_models(ast.parse("model.kernels.function(x)(model.setup.tree, model.kinematics)"))


def test_one_class_has_a_name():
    """A name that is searched for leads to one class; private helpers of a file are its own."""
    seen: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                seen.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())
    assert len(seen) > 300
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}


def test_contributors_read_the_same_table():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Packages")[2]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `")]
    written = {cells[0].strip("`").removesuffix("/").removesuffix(".py"): cells[2:] for cells in rows}
    assert written == {
        name: [listed(package.packages), listed(package.libraries, package.lazy)] for name, package in PACKAGES.items()
    }


def test_records_of_a_call_are_made_where_the_page_says():
    """Every record of the table of stages is one class, and each package or file beside it makes or names it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = text.partition("## The stages of a call")[2].partition("\n\n**")[0].splitlines()
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in rows if line.startswith("| `") or "`KKT" in line
    ]
    classes = {node.name: path for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)}
    assert len(cells) == 10
    for records, _, makers, _ in cells:
        for record in records.split("`")[1::2]:
            assert record in classes, f"no class is named {record}"
            for maker in makers.split("`")[1::2]:
                files = [SOURCE / maker] if maker.endswith(".py") else sorted((SOURCE / maker).rglob("*.py"))
                assert any(record in path.read_text(encoding="utf-8") for path in files), f"{maker} knows no {record}"


def listed(plain: str, lazy: str = "") -> str:
    return ", ".join(plain.split() + [f"{name} (lazy)" for name in lazy.split()]) or "-"


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("algebra", "import math\nimport numpy as np\nfrom linkwright.algebra.spatial import cross"),
        ("recursion", "from linkwright import algebra\nfrom linkwright.errors import LinkwrightError"),
        ("formats", "from ruamel import yaml\nfrom ruamel.yaml import YAML\nimport xml.etree.ElementTree"),
        ("formats", "def read():\n    import mujoco"),
        ("cli", "import linkwright as lw\nfrom linkwright.compiler import program\nimport click"),
        (PUBLIC, "from linkwright.model import build\nimport matplotlib"),
    ],
)
def test_the_checker_lets_good_imports_through(package, source):
    assert violations(ast.parse(source), package, "good.py") == []


@pytest.mark.parametrize(
    ("package", "source", "because"),
    [
        ("algebra", "import scipy.linalg", "may use numpy"),
        ("algebra", "from linkwright.mechanism import Body", "no other package"),
        ("mechanism", "from linkwright import recursion", "may import forces joints algebra"),
        ("recursion", "import linkwright.loops.closure as closure", "may import algebra joints forces mechanism"),
        ("recursion", "import linkwright", "not allowed"),
        ("recursion", "def f():\n    from linkwright.model import build", "not allowed"),
        ("compiler", "from linkwright.algebra import spatial", "no other package"),
        ("formats", "import ruamel.other", "may use numpy ruamel.yaml"),
        ("formats", "import mujoco", "inside the function"),
        ("formats", "import importlib\nimportlib.import_module('scipy')", "may use"),
        ("catalog", "import numpy", "no third-party library"),
        ("plots", "if TYPE_CHECKING:\n    from linkwright.model import Model", "may import results"),
        ("cli", "import numpy", "may use click rich"),
        ("algebra", "from . import spatial", "relative"),
        ("algebra", "from .spatial import cross", "relative"),
        ("viewer", "from http.server import ThreadingHTTPServer", "opens a port"),
        ("cli", "def f():\n    import socket", "opens a port"),
        (PUBLIC, "from .model import build", "relative"),
    ],
)
def test_the_checker_catches_bad_imports(package, source, because):
    (message,) = violations(ast.parse(source), package, "bad.py")
    assert message.startswith(f"bad.py:{len(source.splitlines())}: ")
    assert because in message


def test_the_drawing_shows_every_package():
    drawing = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    folders = {name for name in PACKAGES if (SOURCE / name).is_dir()}
    assert {name for name in folders if f">{name}<" not in drawing} == set()
