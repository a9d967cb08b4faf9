"""Ctrl-C while the command `linkwright` loads its first modules: it ends with 130, without a traceback.

Importing this module is what does it, before any other module of the package. What Python itself does before the first
line of the package is not in our hands.
"""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130  # 128 and the number of the signal, as shells have it; `errors.Exit` is not loaded yet


def end_quietly_at_interrupt() -> None:
    """Have Ctrl-C end the process, if it is the command and Python would raise `KeyboardInterrupt`."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: _end_process())


def raise_at_interrupt() -> None:
    """Have Ctrl-C raise `KeyboardInterrupt` again, as soon as somebody expects it."""
    if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command() -> bool:
    """Return True in `python -m linkwright`, whose package is found before it runs, and in the script `linkwright`."""
    first = sys.argv[0] if sys.argv else ""
    if first == "-m":
        return "linkwright" in sys.orig_argv
    name = first.replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".exe").removesuffix("-script.py") == "linkwright"


def _end_process() -> None:
    import os

    sys.stderr.write("Error: interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


end_quietly_at_interrupt()
