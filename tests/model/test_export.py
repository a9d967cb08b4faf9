"""Any function of any machine leaves as C that checks itself."""

import shutil
import subprocess

import pytest

from linkwright.compiler import c_source
from tests.model.machines import model

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
@pytest.mark.parametrize(
    ("machine", "name"),
    [
        ("stanford-arm", "inverse_dynamics"),
        ("stanford-arm", "forward_dynamics"),
        ("four-bar", "forward_dynamics"),
        ("gough-stewart", "inverse_dynamics"),
    ],
)
def test_exported_c_builds_without_a_warning_and_passes_its_own_test(tmp_path, machine, name):
    text = c_source(model(machine).program(name), f"{machine} {name}")
    source, program = tmp_path / "exported.c", tmp_path / "exported"
    source.write_text(text)
    guard = next(line.split()[1] for line in text.splitlines() if line.startswith("#ifdef"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-D{guard}", "-O1"]
    subprocess.run([COMPILER, *flags, str(source), "-o", str(program), "-lm"], check=True)
    assert subprocess.run([str(program)], check=False).returncode == 0
