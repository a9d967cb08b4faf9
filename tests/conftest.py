"""Hypothesis profiles: `ci` draws the same examples every time, `dev` (the default at a desk) keeps searching.

Codes of findings are checked while they are made."""

import gc
import os
import signal

# Before NumPy is loaded. Threads of BLAS wait for their next product by spinning, and take processors from each
# other and from a second worker; the matrices here are small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from linkwright.compiler.runtime import code
from linkwright.findings import Finding
from tests.codes import CODES

_slow_ok = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=_slow_ok, print_blob=True)
settings.register_profile("dev", deadline=None, suppress_health_check=_slow_ok)
settings.register_profile("long", deadline=None, suppress_health_check=_slow_ok, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(autouse=True, scope="session")
def every_code_has_its_row():
    """Refuse findings whose code is not in the table of docs/reference/findings.md."""
    plain = Finding.__init__

    def checked(self, code, *args, **kwargs):
        assert code in CODES, f"the code '{code}' is not in docs/reference/findings.md"
        plain(self, code, *args, **kwargs)

    Finding.__init__ = checked
    yield
    Finding.__init__ = plain


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started the tests in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # a third of the time in which tests are collected; the fixture below enables it again


@pytest.fixture(autouse=True, scope="session")
def imported_modules_are_no_garbage():
    """Spare the garbage collector the objects of all collected test files, which live as long as the process."""
    gc.freeze()
    gc.enable()


FULL_EFFORTS = dict(code.EFFORTS)


@pytest.fixture(autouse=True, scope="session")
def code_is_drafted():
    """Compile without LLVM's efforts, in a third of the time; the bits are the same, as the compiler's tests hold."""
    code.EFFORTS.update(state=0, call=0)
    yield
    code.EFFORTS.update(FULL_EFFORTS)


@pytest.fixture
def code_as_for_users(monkeypatch):
    """Compile with LLVM's efforts."""
    for part, level in FULL_EFFORTS.items():
        monkeypatch.setitem(code.EFFORTS, part, level)


@pytest.fixture
def batches_in_lanes(monkeypatch):
    """Batches of any length run in lanes, as long ones do: for files with laws about batches (`usefixtures`).

    Elsewhere short batches run as they do for users; compiling lanes takes longer than all the rest.
    """
    monkeypatch.setattr(code, "LANES_FROM", 0)
