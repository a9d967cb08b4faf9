"""Functional Mock-up Units: fmpy accepts them without a warning, and they move as `simulate` does."""

import json
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.export import fmu

fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
validate_fmu = pytest.importorskip("fmpy.validation").validate_fmu
pytest.importorskip("fmpy.fmi2")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")

T_END = 0.3
EFFORTS = {"five-bar": [0.4, -0.3], "four-bar": [2.0], "stanford-arm": [0.3, -8.0, 3.0, 0.02, 0.01, 0.01]}


def written(folder, model, **options):
    unit, path = fmu(model, **options), folder / f"unit{options.get('version', 3)}.fmu"
    unit.write(path)
    return unit, str(path)


def signals(unit, tau):
    """Constant efforts as fmpy takes them."""
    names = [x.name for x in unit.variables if x.role == "effort"]
    dtype = [("time", float), *((name, float) for name in names)]
    return np.array([(0.0, *tau), (T_END, *tau)], dtype=dtype) if len(tau) else None


def run(unit, path, tau, interface, **options):
    outputs = [x.name for x in unit.variables if x.role not in ("time", "effort", "parameter", "pull", "rate")]
    return fmpy.simulate_fmu(
        path,
        fmi_type=interface,
        stop_time=T_END,
        output_interval=0.01,
        input=signals(unit, tau),
        output=outputs,
        **options,
    )


def columns(found, unit, prefix):
    return np.stack([found[x.name] for x in unit.variables if x.name.startswith(prefix)], axis=-1)


@needs_compiler
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", ["five-bar", "stanford-arm"])
def test_fmpy_accepts_a_unit_and_it_moves_like_a_run(tmp_path, name, version):
    model, tau = lw.build(lw.catalog.load(name)), EFFORTS[name]
    unit, path = written(tmp_path, model, version=version)
    assert unit.binary and not unit.left_out
    assert validate_fmu(path) == []
    q = model.assemble().q
    expected = lw.simulate(model, q, np.zeros(model.nv), T_END, effort=tau)
    for interface, tolerance, allowed in (("CoSimulation", 1e-9, 1e-7), ("ModelExchange", 1e-9, 1e-6)):
        found = run(unit, path, tau, interface, relative_tolerance=tolerance)
        end = {part: columns(found, unit, f"{part}.")[-1] for part in "qv"}
        assert found["time"][-1] == pytest.approx(T_END)
        assert end["q"] == pytest.approx(expected.q[-1], abs=allowed)
        assert end["v"] == pytest.approx(expected.v[-1], abs=10 * allowed)


@needs_compiler
def test_outputs_are_those_of_the_model(tmp_path):
    """Poses, positions of actuators, energies and reactions at the states that the unit itself reports."""
    model, tau = lw.build(lw.catalog.load("five-bar")), EFFORTS["five-bar"]
    unit, path = written(tmp_path, model)
    found = run(unit, path, tau, "CoSimulation")
    q, v = columns(found, unit, "q."), columns(found, unit, "v.")
    assert np.abs(model.closure_residual(q)).max() < 1e-11
    assert columns(found, unit, "position.") == pytest.approx(model.actuator_positions(q), abs=1e-10)
    assert columns(found, unit, "velocity.") == pytest.approx(model.actuator_velocities(v, q), abs=1e-10)
    pose = model.frame_pose(q, "platform")
    assert columns(found, unit, "pose.platform.")[:, :3] == pytest.approx(pose.position, abs=1e-10)
    assert np.abs((columns(found, unit, "pose.platform.")[:, 3:] * pose.quaternion_wxyz).sum(axis=1)) == pytest.approx(
        1
    )
    kinetic, potential = model.energy(q, v)
    assert found["energy.kinetic"] == pytest.approx(kinetic, abs=1e-10)
    assert found["energy.potential"] == pytest.approx(potential, abs=1e-10)
    given = np.broadcast_to(tau, (len(q), 2))
    wrenches = model.joint_reactions(q, v, model.forward_dynamics(q, v, given), given)
    for joint in wrenches:
        assert columns(found, unit, f"reaction.{joint}.") == pytest.approx(wrenches[joint], abs=1e-8)


@needs_compiler
def test_starts_are_closed_around_the_independent_coordinates(tmp_path):
    """The start of a crank is kept, and all other joints follow; parameters too."""
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal"])
    unit, path = written(tmp_path, model, version=2)
    starts = {x.name: x for x in unit.variables if x.role == "state"}
    assert [name for name, x in starts.items() if name.startswith("q.") and not x.guess] == ["q.theta1", "q.theta2"]
    home = model.assemble().q
    angle = home[list(model.q_names).index("theta1")] + 0.1
    other = model.with_parameters(proximal=0.26)
    found = run(unit, path, [0.0, 0.0], "CoSimulation", start_values={"q.theta1": angle, "p.proximal": 0.26})
    q = columns(found, unit, "q.")
    q_act = [angle, home[list(model.q_names).index("theta2")]]
    assert q[0] == pytest.approx(other.forward_kinematics(q_act, near=other.assemble().q)[0], abs=1e-9)
    assert np.abs(other.closure_residual(q)).max() < 1e-11


@needs_compiler
@pytest.mark.parametrize("version", [2, 3])
def test_states_that_cannot_be_closed_are_refused_with_a_message(tmp_path, version):
    model = lw.build(lw.catalog.load("five-bar"), inputs=["distal"])
    unit, path = written(tmp_path, model, version=version)
    messages = []

    def logger(*given):
        messages.append(given[-1].decode())

    with pytest.raises(Exception, match="failed"):
        run(unit, path, [0.0, 0.0], "CoSimulation", start_values={"p.distal": 0.04}, logger=logger)
    assert "the loops do not close" in messages[-1] or "singular" in messages[-1]
    with pytest.raises(Exception, match="failed"):
        run(unit, path, [np.nan, 0.0], "CoSimulation", logger=logger, debug_logging=True)
    assert "is not finite" in messages[-1]


@needs_compiler
@pytest.mark.parametrize("version", [2, 3])
def test_sources_compile_without_a_warning_and_alone(tmp_path, version):
    unit, path = written(tmp_path, lw.build(lw.catalog.load("four-bar")), version=version, binary=False)
    assert unit.left_out["binary"] == "not requested" and not unit.binary
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    prefix = [f"-DFMI{version}_FUNCTION_PREFIX=robot_"]
    for more in ([], prefix):
        subprocess.run(["cc", *strict, *more, str(tmp_path / "sources" / f"fmi{version}.c")], check=True)


@needs_compiler
def test_derivatives_can_be_left_out(tmp_path):
    unit = fmu(lw.build(lw.catalog.load("four-bar")), derivatives=False, binary=False)
    assert b"Derivative=" not in unit.files["modelDescription.xml"]
    assert b"Derivatives=" not in unit.files["modelDescription.xml"]
    for name, content in unit.files.items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(content)
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run(["cc", *strict, str(tmp_path / "fmi3.c")], check=True)


def test_the_archive_is_the_same_every_time():
    model = lw.build(lw.catalog.load("five-bar"))
    assert fmu(model, binary=False).archive == fmu(model, binary=False).archive


def test_bad_arguments_are_refused_with_the_way_out(tmp_path):
    model = lw.build(lw.catalog.load("five-bar"))
    with pytest.raises(lw.errors.LinkwrightError, match="from 2 to 3"):
        fmu(model, version=1)
    with pytest.raises(lw.errors.LinkwrightError, match="unknown frame or body 'plat'"):
        fmu(model, frames=["plat"])
    with pytest.raises(lw.errors.LinkwrightError, match=r"ends in \.fmu"):
        fmu(model, binary=False).write(tmp_path / "robot.zip")


def test_the_command_writes_a_unit(tmp_path):
    path = tmp_path / "robot.fmu"
    done = CliRunner().invoke(main, ["export", "fmu", "five-bar", "-o", str(path), "--sources-only", "--json"])
    assert done.exit_code == 0 and "effort.motor1" in json.loads(done.stdout)["variables"]
    assert "sources/fmi3.c" in zipfile.ZipFile(path).namelist()
    wrong = CliRunner().invoke(main, ["export", "fmu", "five-bar", "-o", str(tmp_path / "robot.zip"), "--sources-only"])
    assert wrong.exit_code == 2 and ".fmu" in wrong.output


@needs_compiler
def test_a_saved_state_goes_on_as_before(tmp_path):
    """States as bytes: the steps after them are repeated bit for bit; a step of no length changes nothing."""
    unit, path = written(tmp_path, lw.build(lw.catalog.load("five-bar")), version=2)
    description, folder = fmpy.read_model_description(path), fmpy.extract(path)
    slave = fmpy.fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=unit.name, instanceName="one"
    )
    try:
        slave.instantiate()
        slave.setupExperiment(startTime=0.0, tolerance=1e-9)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        references = [x.reference for x in unit.variables if x.role != "rate"]
        slave.doStep(0.0, 0.05)
        state = slave.getFMUstate()
        saved = slave.serializeFMUstate(state)
        slave.doStep(0.05, 0.05)
        expected = slave.getReal(references)
        slave.setFMUstate(slave.deSerializeFMUstate(saved))
        slave.doStep(0.05, 0.05)
        assert slave.getReal(references) == expected
        slave.doStep(0.1, 0.0)
        slave.freeFMUstate(state)
        slave.terminate()
    finally:
        slave.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)
