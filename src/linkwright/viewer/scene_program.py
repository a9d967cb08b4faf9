"""The drawing of a mechanism as a program of its parameters, so that sliders of lengths reshape what a page draws.

The scene is made once more by `scene_data`, on numbers that record what is done to them. They compare by their values
in the file: which parts are drawn, and how they are joined, is that of the file. Numbers of a scene are counted in the
order in which they stand in it as JSON; those that follow from no parameter are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from linkwright.algebra.sums import resolve_sums
from linkwright.compiler import Program, trace
from linkwright.compiler.codegen.wasm import encode_programs
from linkwright.dataclass import dataclass
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism
from linkwright.viewer.drawn_numbers import DrawnNumber, recorded_number
from linkwright.viewer.shown_motion import deflate_bytes

Data = dict[str, Any]
MOST_OPERATIONS = 20_000
"""Longer drawings keep their shape."""


@dataclass(frozen=True, eq=False)
class SceneProgram:
    """A program from parameters p to numbers of a scene, and which of its numbers they are."""

    program: Program
    indices: np.ndarray


def scene_program(source: ParameterizedMechanism, draw: Callable[[Mechanism], Data]) -> SceneProgram | None:
    """The program of a drawing; None where nothing that is drawn follows from the inputs.

    Args:
        source: the mechanism with its inputs.
        draw: from a mechanism to its scene, in a setting that stays.
    """
    found: list[int] = []

    def drawn_numbers(p: np.ndarray) -> np.ndarray:
        mech = source.at([DrawnNumber(x, each.value) for x, each in zip(p, source.inputs, strict=True)])
        mech = mech.replace_unchecked(**{each.name: resolve_sums(getattr(mech, each.name)) for each in fields(mech)})
        numbers = list(numbers_of_scene(draw(mech)))
        found[:] = [i for i, x in enumerate(numbers) if isinstance(x, DrawnNumber)]
        return np.array([recorded_number(numbers[i]) for i in found] or [0.0], dtype=object)

    program = trace(drawn_numbers, {"p": len(source.inputs)})
    return SceneProgram(program, np.array(found)) if found and program.n_operations <= MOST_OPERATIONS else None


def numbers_of_scene(x: Any) -> Iterator[Any]:
    """The numbers of a scene in the order in which they stand in its JSON; surfaces of meshes are left out."""
    if isinstance(x, dict):
        for name, value in x.items():
            if name != "meshes":
                yield from numbers_of_scene(value)
    elif isinstance(x, list | tuple):
        for value in x:
            yield from numbers_of_scene(value)
    elif isinstance(x, DrawnNumber) or (isinstance(x, int | float) and not isinstance(x, bool) and np.isfinite(x)):
        yield x


def shape_entry(found: SceneProgram) -> Data:
    """The program as data of a page; indices are whole numbers of four bytes."""
    module = encode_programs({"shape": found.program}, start=0)
    return {
        "binary": deflate_bytes(module.binary),
        "pages": module.layout["pages"],
        "p": module.address_of("shape", "p"),
        "out": module.address_of("shape", "out"),
        "indices": deflate_bytes(found.indices.astype("<u4").tobytes()),
    }
