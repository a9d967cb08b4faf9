"""Traced programs are those of the stored digests; `python dev.py digests` compares all definitions."""

import os
import subprocess
import sys

from linkwright.compiler import trace
from linkwright.functions import function_registry
from linkwright.functions.loop import closure_functions, regressor_functions
from linkwright.functions.tree import displacement_functions, tree_functions
from tests.refactoring.digests import Digest, all_digests, differences, digest_of, stored

SAMPLE = (
    tree_functions.generalized_forces,
    tree_functions.mass_matrix,
    tree_functions.energies,
    tree_functions.body_poses,
    displacement_functions.integrated,
    displacement_functions.difference,
    closure_functions.closure_residual,
    closure_functions.closure_jacobian,
    closure_functions.bias,
    closure_functions.exact_closure_jacobian,
    regressor_functions.tree_regressor,
)


def test_programs_are_those_of_the_stored_digests():
    names = {each.name for each in SAMPLE}
    before = {key: x for key, x in stored().items() if key[1].partition(":")[0] in names}
    found = all_digests(SAMPLE)
    changed = differences(_without_bits(before), _without_bits(found))
    assert not (lines := list(changed)), "\n" + "\n".join(lines) + "\n`python dev.py digests --update`, and say why"
    assert len(found) > 500


def _without_bits(found):
    return {key: Digest(x.operations, x.structure, "") for key, x in found.items()}


def test_every_definition_has_a_digest():
    found = {name.partition(":")[0] for _, name in stored()}
    assert set(function_registry.all_definitions()) - found == {
        "checked_alternative_dynamics",
        "checked_alternative_efforts",
    }
    assert {name for _, name in stored()} >= {
        f"{x.name}:rolled" for x in function_registry.all_definitions().values() if x.rolled
    }


def test_a_digest_depends_on_operations_order_constants_and_names():
    programs = [
        trace(lambda x, y: x * 2.0 + y, {"x": 2, "y": 2}),
        trace(lambda x, y: (x * 2.0 + y)[::-1], {"x": 2, "y": 2}),
        trace(lambda x, y: x * 3.0 + y, {"x": 2, "y": 2}),
        trace(lambda x, y: x * 2.0 - y, {"x": 2, "y": 2}),
        trace(lambda x, z: x * 2.0 + z, {"x": 2, "z": 2}),
    ]
    assert len({digest_of(each).structure for each in programs}) == len(programs)
    almost = digest_of(trace(lambda x, y: x * (2.0 + 1e-15) + y, {"x": 2, "y": 2}))
    assert almost.structure == digest_of(programs[0]).structure
    assert almost.constants != digest_of(programs[0]).constants


def test_programs_do_not_follow_the_kernels_of_blas():
    """Frames are multiplied without BLAS, whose kernels round differently (on x86; others ignore the setting)."""
    script = (
        "from tests.refactoring.mechanisms import mechanisms; from linkwright.functions import function_registry as r; "
        "from tests.refactoring.digests import digests; found = dict(mechanisms()); "
        "chosen = [r.definition_of_name(x) for x in ('body_poses', 'generalized_forces', 'closure_jacobian')]; "
        "print([str(x) for name in ('hexam', 'tree-fixed', 'loop-screw-reversed', 'loop-planar') "
        "for x in digests(found[name], chosen).values()])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "OPENBLAS_CORETYPE": kind}, capture_output=True
        )
        for kind in ("Haswell", "Nehalem")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count(b"'") == 2 * 11, runs[0].stderr


def test_a_digest_does_not_follow_the_seed_of_hashes():
    script = (
        "from linkwright import catalog; from linkwright.functions import function_registry as r; "
        "from tests.refactoring.digests import digests; "
        "chosen = [r.definition_of_name(x) for x in ('generalized_forces', 'closure_jacobian')]; "
        "print(digests(catalog.load('four-bar'), chosen))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert b"generalized_forces" in runs[0].stdout
