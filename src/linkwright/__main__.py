"""Run as `python -m linkwright`, and as the command `linkwright`: Ctrl-C ends it with 130 at any moment.

Modules are loaded inside the functions, where an interrupt is expected.
"""

from __future__ import annotations

import sys
from typing import Any

from linkwright.quiet_start import INTERRUPTED, raise_at_interrupt


def run() -> None:
    """Run the command line; an interrupt while modules are loaded or objects deleted leaves no traceback either."""
    try:
        raise_at_interrupt()
        _open_closed_streams()
        sys.unraisablehook = _raised_in_vain
        code = _exit_code()
        _end_quietly_from_now_on()
    except KeyboardInterrupt:
        code = INTERRUPTED
        sys.stderr.write("Error: interrupted\n")
    sys.exit(_flushed_exit_code(code))


def _open_closed_streams() -> None:
    """Take nothing from a standard stream that the caller has closed, and write nothing there (`>&-`)."""
    import os

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _exit_code() -> Any:
    from linkwright.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


def _end_quietly_from_now_on() -> None:
    """Let the system end this process at Ctrl-C, while Python ends anyway."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _flushed_exit_code(code: Any) -> Any:
    """The exit code, 1 in place of 0 if what is left of the standard output cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # it is flushed once more when Python ends
        return code or 1
    return code


def _raised_in_vain(unraisable: Any) -> None:
    """Raise Ctrl-C again where it reached code that cannot pass it on, as that of an object being deleted."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    import threading

    again = threading.Timer(0.01, _interrupt_main)  # here it would be lost once more
    again.daemon = True
    again.start()


def _interrupt_main() -> None:
    """Interrupt the main thread, also while it waits, where the system can."""
    import _thread
    import signal
    import threading

    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


if __name__ == "__main__":
    run()
