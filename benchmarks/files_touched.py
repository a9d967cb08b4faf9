"""How many files of the library a first call passes through, on a cold cache.

    python benchmarks/files_touched.py [mechanism]

A newcomer who follows a call has to open these files. Each call runs in a process of its own with an empty cache of
compiled code; a file counts when one of its functions runs between the call and its return. All modules are imported
before: a module that is only imported, for its records or for a case that does not occur, is not passed.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

CALLS = {
    "forward_dynamics": "model.forward_dynamics(q, v, tau)",
    "assemble": "model.assemble()",
    "simulate": "lw.simulate(model, q, v, 0.1)",
}


def touched(call: str, mechanism: str) -> set[str]:
    """Files under the library that run during one call."""
    import linkwright as lw

    root = str(Path(lw.__file__).parent) + os.sep
    for module in pkgutil.walk_packages(lw.__path__, "linkwright."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    model = lw.build(lw.catalog.load(mechanism))
    q, v, tau = (None, None, None) if call == "assemble" else _state(mechanism, model)
    found: set[str] = set()

    def see(frame, event, _):
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(root):
            found.add(name.removeprefix(root))

    threading.setprofile(see)
    sys.setprofile(see)
    eval(CALLS[call], {"model": model, "lw": lw, "q": q, "v": v, "tau": tau})
    sys.setprofile(None)
    return found


def _state(mechanism: str, model):
    """A closed state, found by another model, so that the one that is watched has done nothing yet."""
    import numpy as np

    import linkwright as lw

    other = lw.build(lw.catalog.load(mechanism))
    return other.assemble().q, np.zeros(model.nv), np.zeros(model.na)


def main(mechanism: str) -> None:
    for call in CALLS:
        with tempfile.TemporaryDirectory() as cold:
            command = [sys.executable, __file__, mechanism, call]
            found = subprocess.run(
                command, env=os.environ | {"LINKWRIGHT_CACHE": cold}, capture_output=True, text=True, check=True
            ).stdout.split()
        by_package: dict[str, int] = {}
        for name in found:
            package = name.split(os.sep)[0]
            by_package[package] = by_package.get(package, 0) + 1
        parts = ", ".join(f"{package} {n}" for package, n in sorted(by_package.items(), key=lambda x: -x[1]))
        print(f"{call:20s} {len(found):4d}   {parts}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print("\n".join(sorted(touched(sys.argv[2], sys.argv[1]))))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else "four-bar")
