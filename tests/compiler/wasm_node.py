"""Modules of programs, run by Node; tests that need it are skipped where it is missing, except in `.ci/run`."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None and not os.environ.get("CI"), reason="needs node")
"""A mark of tests that run WebAssembly."""


def run_node(script, job):
    """What a script beside the tests answers to a job, both as JSON."""
    ran = subprocess.run(
        [NODE or "node", Path(__file__).parents[1] / script],
        input=json.dumps(job), capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout)


def packed(x):
    """Numbers as text without loss."""
    return base64.b64encode(np.ascontiguousarray(x, dtype="<f8").tobytes()).decode()


def unpacked(text, shape=-1):
    """Numbers from such a text."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8").reshape(shape)


def call_programs(module, states, through_table=False):
    """Results of programs at states, {port: (n, ...)} by program; by output port, and the statuses, where asked for.

    States of a program stand one behind the other; a program whose `given` is left out uses what is in memory.
    """
    (found,) = call_modules([(module, states)], through_table)
    return found


def call_modules(jobs, through_table=False):
    """The same of several modules, each with the states of its programs, in one run of Node."""
    answers = run_node("compiler/wasm_node.mjs", [_job_of_module(*each, through_table) for each in jobs])
    return [_results(module, states, rows, through_table) for (module, states), rows in zip(jobs, answers, strict=True)]


def _job_of_module(module, states, through_table):
    calls = [{"name": name, "states": _rows(inputs), "at": through_table} for name, inputs in states.items()]
    return {"binary": base64.b64encode(module.binary).decode(), "layout": module.layout, "calls": calls}


def _results(module, states, answers, through_table):
    found = {}
    for name, rows in zip(states, answers, strict=True):
        outputs = module.layout["programs"][name]["outputs"]
        results = {
            port: np.array([unpacked(row["outputs"][port], shape) for row in rows])
            for port, (_, shape) in outputs.items()
        }
        found[name] = (results, [row["status"] for row in rows]) if through_table else results
    return found


def _rows(inputs):
    n = max((len(x) for x in inputs.values()), default=1)
    return [{port: packed(x[k]) for port, x in inputs.items()} for k in range(n)]
