"""Kits of C for controllers: they compile without a warning, pass their self-test, and keep their promises."""

import ctypes
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import trace
from linkwright.export import c_kit, c_source

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
COMPILERS = [found for name in ("gcc", "clang") if (found := shutil.which(name))]
needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no C compiler is installed")


def built(kit, folder, compiler, *flags):
    """Compile the self-test of a kit; its printed lines."""
    kit.write(folder)
    files = [str(folder / f"{kit.name}.c"), str(folder / f"{kit.name}_selftest.c")]
    subprocess.run([compiler, *STRICT, *flags, *files, "-lm", "-o", str(folder / "selftest")], check=True)
    return subprocess.run([str(folder / "selftest")], check=True, capture_output=True, text=True).stdout


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["five-bar", "3-rrr", "stanford-arm", "slider-crank", "four-bar"])
def test_a_kit_compiles_without_a_warning_and_passes_its_self_test(tmp_path, name, compiler):
    frame = {"slider-crank": "slider", "four-bar": "coupler"}.get(name)
    kit = c_kit(lw.build(lw.catalog.load(name)), frame=frame)
    assert kit.left_out == {}
    lines = built(kit, tmp_path, compiler, "-O1").splitlines()
    assert lines[-1] == "passed" and len(lines) == 1 + len(kit.figures)
    assert max(float(line.split()[-1]) for line in lines[:-1]) < 1e-13


@needs_compiler
def test_redundant_actuators_share_the_work_as_in_the_library(tmp_path):
    """Three actuators for two freedoms: inverse dynamics by the library's rule; what is not defined is left out."""
    model = lw.build(lw.catalog.load("five-bar"), ["theta1", "theta2", "psi1"])
    kit = c_kit(model, "robot")
    assert set(kit.left_out) <= {"bias", "mass_matrix"} and "redundant" in kit.left_out["bias"]
    lines = built(kit, tmp_path, COMPILERS[0], "-O1").splitlines()
    assert lines[-1] == "passed" and {"gravity", "inverse_dynamics", "joint_reactions"} <= set(kit.figures)


@needs_compiler
@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["-O3", "-march=native", "-ffp-contract=fast"]])
def test_sines_and_cosines_are_right_to_the_last_digit(tmp_path, flags):
    """Random angles and neighbors of multiples of pi/2 against NumPy: below 1.5 units in the last place."""
    program = trace(lambda x: np.array([np.sin(x), np.cos(x)]), {"x": 8})
    (tmp_path / "waves.c").write_text(c_source(program, "waves"))
    for compiler in COMPILERS:
        library = tmp_path / f"{Path(compiler).name}.so"
        command = [compiler, *STRICT, *flags, "-shared", "-fPIC", str(tmp_path / "waves.c"), "-lm", "-o", str(library)]
        subprocess.run(command, check=True)
        code, rng = ctypes.CDLL(str(library)), np.random.default_rng(5)
        near = 0.5 * np.pi * rng.integers(-60_000, 60_000, 2000)
        angles = np.r_[
            rng.uniform(-7, 7, 2000), near, near + rng.uniform(-1e-9, 1e-9, 2000), 10.0 ** rng.uniform(-9, 7, 800)
        ]
        found = np.zeros((2, len(angles)))
        for k in range(0, len(angles), 8):
            x, out = angles[k : k + 8].copy(), np.zeros((2, 8))
            code.waves(_at(x), _at(out))
            found[:, k : k + 8] = out
        exact = np.array([np.sin(angles), np.cos(angles)])
        assert (np.abs(found - exact) <= 1.5 * np.spacing(np.abs(exact))).all()
        x, out = np.array([np.nan, np.inf, -0.0, 1.0, -1.0, 2.0, 3.0, 4.0]), np.zeros((2, 8))
        code.waves(_at(x), _at(out))
        assert np.isnan(out[:, :2]).all() and np.isfinite(out[:, 2:]).all()


@needs_compiler
def test_single_precision(tmp_path):
    kit = c_kit(lw.build(lw.catalog.load("five-bar")), "robot", precision="float")
    lines = built(kit, tmp_path, COMPILERS[0], "-O1", "-Wdouble-promotion", "-Wfloat-conversion").splitlines()
    assert lines[-1] == "passed" and "typedef float robot_real;" in kit.files["robot.h"]


class Robot:
    """A kit loaded into this process."""

    def __init__(self, model, folder, *flags, **options):
        self.kit = c_kit(model, "robot", **options)
        model = self.model = getattr(model, "driven", model)
        self.kit.write(folder)
        command = [COMPILERS[0], *STRICT, "-O1", *flags, "-shared", "-fPIC", str(folder / "robot.c"), "-lm"]
        subprocess.run([*command, "-o", str(folder / "robot.so")], check=True)
        self.code = ctypes.CDLL(str(folder / "robot.so"))
        self.state = np.zeros(model.nq + 2 * model.nv + 1)
        self.code.robot_home(_at(self.state))

    @property
    def q(self):
        return self.state[: self.model.nq]

    @property
    def residual(self):
        return self.state[-1]

    def __call__(self, function, *arrays):
        arrays = [None if x is None else np.ascontiguousarray(x, dtype=float) for x in arrays]
        return getattr(self.code, f"robot_{function}")(_at(self.state), *(x if x is None else _at(x) for x in arrays))


def _at(x):
    return x.ctypes.data_as(ctypes.c_void_p)


@needs_compiler
def test_three_newton_steps_find_a_platform_from_its_leg_lengths(tmp_path):
    """From 5 mm and 1 deg away, in random directions, to 1e-12 m, and the same pose as forward kinematics finds."""
    model = lw.build(lw.catalog.load("gough-stewart"))
    robot = Robot(model, tmp_path, "-O0", newton_steps=3)
    rng, home = np.random.default_rng(0), model.frame_pose(model.assemble().q, "platform")
    moved, turned = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in rng.normal(size=(2, 200, 3)))
    wxyz = np.array([_turned(np.radians(1.0) * x, home.quaternion_wxyz) for x in turned])
    pose = lw.Pose(home.position + 5e-3 * moved, wxyz)
    lengths, worst = model.actuator_positions(model.inverse_kinematics(pose)[0]), 0.0
    for x, position in zip(lengths, pose.position, strict=True):
        robot.code.robot_home(_at(robot.state))
        assert robot("forward_kinematics", x, None, None) == 0 and robot.residual < 1e-12
        found = np.zeros(7)
        assert robot("pose", found) == 0
        worst = max(worst, np.abs(found[:3] - position).max())
    assert worst < 1e-12


def _turned(vector, wxyz):
    half = 0.5 * np.linalg.norm(vector)
    w, x = np.cos(half), 0.5 * np.sinc(half / np.pi) * vector
    return np.r_[w * wxyz[0] - x @ wxyz[1:], w * wxyz[1:] + wxyz[0] * x + np.cross(x, wxyz[1:])]


@needs_compiler
def test_states_that_cannot_be_found_have_a_status_and_leave_the_last_one(tmp_path):
    model = lw.build(lw.catalog.load("five-bar"))
    robot = Robot(model, tmp_path)
    x = model.actuator_positions(robot.q)
    before = robot.state.copy()
    assert robot("forward_kinematics", [np.nan, 0.0], None, None) == 4
    assert robot("forward_kinematics", x + [2.5, -2.5], None, None) in (1, 2, 3)  # the distal links do not meet
    assert robot("forward_kinematics", x, [np.inf, 0.0], None) == 4
    assert np.array_equal(robot.state[:-1], before[:-1])
    assert robot("forward_kinematics", x + 0.01, [0.1, 0.2], None) == 0 and not np.array_equal(robot.state, before)
    elbow = robot.q.copy()
    other = model.assembly_modes(x)
    flipped = next(c.q for c in other if np.abs(np.sin(0.5 * (c.q - elbow))).max() > 0.3)
    assert robot("inverse_kinematics", _pose(model, flipped), None, None) == 0  # in closed form, however far
    assert np.array_equal(np.sign(np.sin(robot.q[2:])), np.sign(np.sin(elbow[2:])))  # elbows stay


@needs_compiler
@pytest.mark.parametrize(("name", "other"), [("five-bar", 5), ("3-rrr", 0), ("delta", 2), ("slider-crank", 5)])
def test_components_that_a_mechanism_does_not_have_are_noticed(tmp_path, name, other):
    """Poses and motions that the library has are OK; one other component, and the status says so, state filled in."""
    model = lw.build(lw.catalog.load(name))
    frame = "slider" if name == "slider-crank" else model.mechanism.platform
    robot, rng = Robot(model, tmp_path, "-O0", frame=frame), np.random.default_rng(1)
    x = model.actuator_positions(robot.q) + 0.02
    q, v, a = model.forward_kinematics(x, *rng.normal(size=(2, model.na)), near=robot.q)
    r, wxyz = model.frame_pose(q, frame)
    twist, rate = model.frame_twist(q, v, frame), model.frame_acceleration(q, v, a, frame)
    pose, unit = np.r_[r, wxyz], np.eye(6)[other]
    assert robot("inverse_kinematics", pose, twist, rate) == 0 and robot.residual < 1e-12
    assert robot.q == pytest.approx(q, abs=1e-9)
    for k in range(2):
        wrong = [twist, rate]
        wrong[k] = wrong[k] + 1e-4 * np.abs(wrong[k]).max() * unit
        robot.code.robot_home(_at(robot.state))
        assert robot("inverse_kinematics", pose, *wrong) == 7
        assert robot.state[:-1] == pytest.approx(np.concatenate([q, v, a]), rel=1e-7, abs=1e-7)
    for size in (1e-5, 0.4):
        moved = np.r_[r + size * unit[3:], _turned(size * unit[:3], wxyz)]
        robot.code.robot_home(_at(robot.state))
        assert robot("inverse_kinematics", moved, None, None) == 6
        assert robot.q == pytest.approx(q, abs=1e-9) and robot.residual > 1e-6
    half_turned = np.r_[r, _turned(np.pi * np.eye(3)[0], wxyz)]  # leaves the angle of a 3-RRR open
    assert robot("inverse_kinematics", half_turned, None, None) == (3 if name == "3-rrr" else 6)
    before = robot.state.copy()
    for wrong in (2.0 * wxyz, 0.0 * wxyz, 0.998 * wxyz):
        assert robot("inverse_kinematics", np.r_[r, wrong], None, None) == 5
    assert robot("inverse_kinematics", pose, np.nan * unit, None) == 4
    assert robot("inverse_kinematics", np.full(7, np.inf), None, None) == 4
    assert np.array_equal(robot.state, before, equal_nan=True)


@needs_compiler
def test_components_can_be_ignored_when_compiling(tmp_path):
    """A five-bar's point at x and y, at whatever angle its link has there."""
    model = lw.build(lw.catalog.load("five-bar"))
    robot = Robot(model, tmp_path, "-DROBOT_IGNORED=ROBOT_COMPONENT_rz")
    assert robot("inverse_kinematics", [0.05, 0.4, 0.0, 1, 0, 0, 0], [0, 0, 0, 0.1, 0.2, 0], np.zeros(6)) == 0
    assert robot("inverse_kinematics", [0.05, 0.4, 0.3, 1, 0, 0, 0], None, None) == 6


@needs_compiler
def test_a_platform_far_away_is_found_to_the_digits_of_its_distance(tmp_path):
    model = lw.build(lw.catalog.load("gough-stewart"))
    robot = Robot(model, tmp_path, "-O0")
    for z in (15.0, 1500.0, 1e5):
        robot.code.robot_home(_at(robot.state))
        assert robot("inverse_kinematics", [-1.5, 0.1, z, 1, 0, 0, 0], None, None) == 0
        assert np.abs(model.closure_residual(robot.q)).max() < 1e-10 * z


def _pose(model, q):
    pose = model.frame_pose(q, "platform")
    return np.r_[pose.position, pose.quaternion_wxyz]


@needs_compiler
def test_a_path_is_followed_on_its_branch(tmp_path):
    """Around a circle in 500 cycles, efforts as the model has them at every tenth."""
    model = lw.build(lw.catalog.load("five-bar"))
    robot = Robot(model, tmp_path)
    x, q = model.actuator_positions(robot.q), robot.q.copy()
    for k, angle in enumerate(np.linspace(0.0, 2 * np.pi, 501)):
        x_k, v_k = (
            x + 0.3 * np.array([np.sin(angle), 1 - np.cos(angle)]),
            0.3 * np.array([np.cos(angle), np.sin(angle)]),
        )
        assert robot("forward_kinematics", x_k, v_k, None) == 0
        if k % 10 == 0:
            tau, state = np.zeros(2), model.forward_kinematics(x_k, v_k, near=robot.q)
            assert robot("inverse_dynamics", tau) == 0
            assert tau == pytest.approx(model.inverse_dynamics(*state), rel=1e-10, abs=1e-12)
    assert robot.q == pytest.approx(q, abs=1e-12)


@needs_compiler
def test_parameters_are_fields_of_a_struct(tmp_path):
    names = ["proximal", "distal_mass"]
    model = lw.build(lw.catalog.load("five-bar"), inputs=names)
    robot = Robot(model, tmp_path)
    other = model.with_parameters(proximal=0.26, distal_mass=0.5)
    p, x = other.parameters.values, model.actuator_positions(robot.q)
    assert robot("forward_kinematics", x, [0.3, -0.2], None, p) == 0
    q, v, a = other.forward_kinematics(x, [0.3, -0.2], near=other.assemble().q)
    assert robot.q == pytest.approx(q, abs=1e-12)
    tau = np.zeros(2)
    assert robot("inverse_dynamics", tau, p) == 0
    assert tau == pytest.approx(other.inverse_dynamics(q, v, a), rel=1e-10)
    assert "passed" in built(robot.kit, tmp_path / "nominal", COMPILERS[0])


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler is installed")
def test_the_header_serves_cpp(tmp_path):
    c_kit(lw.build(lw.catalog.load("five-bar")), "robot").write(tmp_path)
    text = '#include "robot.h"\nint main() { robot_state s; robot_home(&s); return s.q[ROBOT_Q_theta1] > 9; }\n'
    (tmp_path / "main.cpp").write_text(text)
    flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{tmp_path}"]
    subprocess.run(["g++", *flags, "-c", str(tmp_path / "main.cpp"), "-o", str(tmp_path / "main.o")], check=True)
    subprocess.run(["gcc", "-c", str(tmp_path / "robot.c"), "-o", str(tmp_path / "robot.o")], check=True)
    objects = [str(tmp_path / "main.o"), str(tmp_path / "robot.o")]
    subprocess.run(["g++", *objects, "-lm", "-o", str(tmp_path / "main")], check=True)
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0


CROSS, EMULATOR = shutil.which("arm-none-eabi-gcc"), shutil.which("qemu-system-arm")
CORTEX = Path(__file__).parent / "cortex_m4"


@pytest.mark.skipif(
    not (CROSS and EMULATOR), reason="needs gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm"
)
@pytest.mark.parametrize(("precision", "clang"), [("double", False), ("float", False), ("double", True)])
def test_a_cortex_m4f_passes_the_self_test(tmp_path, precision, clang):
    """On an emulated board; ARM_FLAGS adds paths of a toolchain that is not installed in the usual place.

    Inverse kinematics in closed form included; objects of clang are linked by the other compiler.
    """
    if clang and shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    kit = c_kit(lw.build(lw.catalog.load("five-bar")), "robot", precision=precision)
    kit.write(tmp_path)
    board = ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-mthumb", "-O2"]
    more = shlex.split(os.environ.get("ARM_FLAGS", "--specs=rdimon.specs"))
    files = [str(CORTEX / "startup.c"), str(tmp_path / "robot.c"), str(tmp_path / "robot_selftest.c")]
    if clang:
        files[1:] = [_by_clang(file, [*board, *STRICT]) for file in files[1:]]
    image = str(tmp_path / "robot.elf")
    link = ["-T", str(CORTEX / "memory.ld"), "-lm", "-o", image]
    subprocess.run([CROSS, *board, *STRICT, *more, *files, *link], check=True)
    run = [EMULATOR, "-M", "mps2-an386", "-nographic", "-semihosting", "-monitor", "none", "-serial", "none", "-kernel"]
    done = subprocess.run([*run, image], check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "passed" in done.stdout + done.stderr


def _by_clang(file, flags):
    """The object of a C file, with the headers of the other compiler."""
    found = subprocess.run([CROSS, "-print-file-name=include"], check=True, capture_output=True, text=True).stdout
    newlib = Path(found.strip()).parent.parent.parent.parent / "arm-none-eabi" / "include"
    options = [
        "--target=thumbv7em-none-eabihf",
        "-fshort-enums",
        "-isystem",
        str(newlib),
        "-c",
        file,
        "-o",
        f"{file}.o",
    ]
    subprocess.run(["clang", *flags, *options], check=True)
    return f"{file}.o"


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_nothing_of_a_hosted_environment_is_used(tmp_path, compiler):
    kit = c_kit(lw.build(lw.catalog.load("five-bar")), "robot")
    kit.write(tmp_path)
    flags = ["-ffreestanding", "-O1", "-c", str(tmp_path / "robot.c"), "-o", str(tmp_path / "robot.o")]
    subprocess.run([compiler, *STRICT, *flags], check=True)
    names = subprocess.run(["nm", "-u", str(tmp_path / "robot.o")], check=True, capture_output=True, text=True).stdout
    assert {name.split()[-1] for name in names.splitlines()} <= {"sin", "cos", "atan2", "sqrt", "fabs", "fma"}


PAGE = Path(__file__).parent.parent.parent / "docs" / "howto" / "c-for-a-controller.md"


@needs_compiler
def test_the_loops_of_the_page_compile(tmp_path):
    c_kit(lw.build(lw.catalog.load("3-rrr")), "robot").write(tmp_path)
    for k, code in enumerate(re.findall(r"```c\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)):
        (tmp_path / f"loop{k}.c").write_text(code)
        command = [
            COMPILERS[0],
            *STRICT,
            f"-I{tmp_path}",
            "-c",
            str(tmp_path / f"loop{k}.c"),
            "-o",
            str(tmp_path / "o"),
        ]
        subprocess.run(command, check=True)
    assert k == 1


def test_mechanisms_without_a_kit_are_refused_with_the_reason():
    with pytest.raises(lw.errors.LinkwrightError, match="for each freedom"):
        c_kit(lw.build(lw.catalog.load("five-bar"), ["theta1"]))
    for options, message in (({"precision": "half"}, "'double', 'float'"), ({"newton_steps": 0}, "from 1 to 100")):
        with pytest.raises(lw.errors.LinkwrightError, match=message):
            c_kit(lw.build(lw.catalog.load("five-bar")), **options)
