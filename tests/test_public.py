"""The public API: every public name is in the reference, and nothing that moved is left at the top level."""

import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

import linkwright as lw

PAGES = (
    "analysis",
    "beams",
    "catalog",
    "control",
    "events",
    "export",
    "forces",
    "formats",
    "joints",
    "papers",
    "sweeps",
)
SPREAD = ("errors", "shapes", "types")  # documented beside what takes or returns them
NAMESPACES = (*PAGES, *SPREAD)
REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
TOP = ("lw", "model", "mechanism")  # pages of the names at the top level


def public_names() -> list[str]:
    """Public names by their dotted path below `linkwright`."""
    inner = [f"{space}.{name}" for space in NAMESPACES for name in getattr(lw, space).__all__]
    return sorted([name for name in lw.__all__ if name not in NAMESPACES] + inner)


def listed(page: str) -> list[tuple[str, str]]:
    """Names on a page of the reference, each with the options of its directive."""
    text = (REFERENCE / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r":: linkwright\.([\w.]+)\n((?:   .*\n)*)", text)


def test_the_reference_lists_the_public_names():
    found = [name for page in (*TOP, *PAGES) for name, _ in listed(page)]
    assert sorted(found) == public_names()


@pytest.mark.parametrize("space", PAGES)
def test_a_namespace_has_its_own_page(space):
    own = [name for name, _ in listed(space) if name.partition(".")[0] not in SPREAD]
    assert sorted(own) == sorted(f"{space}.{name}" for name in getattr(lw, space).__all__)


def found(name: str) -> typing.Any:
    space, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"linkwright.{space}".rstrip(".")), last)


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_leads_to_an_object(name):
    space, _, last = name.rpartition(".")
    thing = found(name)
    assert thing.__doc__ or typing.get_args(thing), f"{name} has no docstring"
    assert last in dir(getattr(lw, space) if space else lw)


# Kept inside: coefficients of the integrators, and the expressions of a file's numbers.
INSIDE = {"Tableau", "StiffTableau", "Formulas", "Inputs"}
# ... and the blocks that an explanation is made of.
INSIDE |= {"Paragraph", "Drawing", "NumberTable", "TheoryEquation", "FormulaBlock", "Matrix"}
# ... and what kinds of joint are written with.
INSIDE |= {
    "Rotation",
    "Placement",
    "Moments",
    "AngleAbout",
    "Slide",
    "Component",
    "JointFreedom",
    "SimpleStep",
}
# ... and the elements that springs and friction of a joint become.
INSIDE |= {"PartForce"}
# ... and what other packages, and plug-ins, take of a model.
INSIDE |= {"Setup", "Kernels", "Scales", "Rank", "Cache"}
OBJECTS = {name: found(name) for name in public_names()}
TYPED = ("Model", "build", "load", "save", "simulate", "simulate_many")


def callables(name: str) -> Iterator[typing.Any]:
    """Annotated parts of a public name: itself, or the fields, public methods and properties of a class."""
    thing = OBJECTS[name]
    if inspect.isfunction(thing) or dataclasses.is_dataclass(thing):
        yield thing
    if inspect.isclass(thing):
        for key, value in vars(thing).items():
            inner = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
            if not key.startswith("_") and inspect.isfunction(inner):
                yield inner


def classes(hint: typing.Any) -> Iterator[type]:
    """The classes that an annotation is made of."""
    if isinstance(hint, list | tuple):
        for each in hint:
            yield from classes(each)
    elif inspect.isclass(typing.get_origin(hint) or hint):
        yield typing.get_origin(hint) or hint
    yield from (each for inner in typing.get_args(hint) for each in classes(inner))


def _is_member(value: typing.Any) -> bool:
    return callable(value) or any(hasattr(value, inner) for inner in ("fget", "func", "__func__"))


def members(kind: type) -> Iterator[tuple[str, typing.Any]]:
    """Public methods and properties that a class defines itself."""
    for name, value in vars(kind).items():
        if not name.startswith("_") and _is_member(value):
            yield name, value


CLASSES = [name for name, thing in OBJECTS.items() if inspect.isclass(thing)]
INTERFACES = [thing for thing in OBJECTS.values() if getattr(thing, "_is_protocol", False)]
COMMON = {name for kind in INTERFACES for name, _ in members(kind)}  # explained where the interface is


@pytest.mark.parametrize("name", CLASSES)
def test_methods_of_public_classes_reach_the_reference(name):
    """Sphinx lists members that have a docstring, and inherited ones only when the page says so."""
    kind = OBJECTS[name]
    assert not [member for member, value in members(kind) if not inspect.getdoc(value) and member not in COMMON]
    inherited = {
        member
        for base in kind.__mro__[1:]
        if base.__module__.startswith("linkwright") and base not in OBJECTS.values()
        for member, _ in members(base)
    }
    (options,) = (options for page in (*TOP, *PAGES) for each, options in listed(page) if each == name)
    assert bool(inherited - COMMON) == (":inherited-members:" in options)


@pytest.mark.parametrize("name", OBJECTS)
def test_classes_in_public_signatures_are_public(name):
    known = {name.rpartition(".")[2]: each for name, each in OBJECTS.items()}
    hidden = {
        each.__name__
        for function in callables(name)
        for hint in typing.get_type_hints(function, localns=known).values()
        for each in classes(hint)
        if each.__module__.startswith("linkwright") and each not in OBJECTS.values()
    }
    assert hidden <= INSIDE


def test_help_begins_with_all_public_names():
    assert set(lw.__all__) <= set(re.findall(r"`(\w+)`", lw.__doc__))


@pytest.mark.parametrize("name", TYPED)
def test_signatures_of_the_main_functions_have_no_any(name):
    loose = [
        f"{function.__qualname__}({title}: {hint})"
        for function in callables(name)
        for title, hint in function.__annotations__.items()
        if re.search(r"\bAny\b", str(hint))
    ]
    assert not loose


@pytest.mark.parametrize("space", sorted({*NAMESPACES} - {"catalog"}))
def test_names_of_a_namespace_are_not_repeated_at_the_top(space):
    assert not set(getattr(lw, space).__all__) & set(lw.__all__)


@pytest.mark.parametrize("package", ["linkwright", "linkwright.control", "linkwright.analysis"])
def test_an_unknown_name_is_refused(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Absent'"):
        getattr(importlib.import_module(package), "Absent")  # noqa: B009


@pytest.mark.parametrize("use", ["lw", "lw.build, lw.simulate"])
def test_importing_the_library_loads_no_compiler(use):
    heavy = "[m for m in sys.modules if m.split('.')[0] in ('scipy', 'llvmlite')]"
    code = f"import sys, linkwright as lw; {use}; print({heavy})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
