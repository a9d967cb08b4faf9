"""Dragging keeps every loop closed; the server responds to its own page and nobody else."""

import html
import http.client
import json
import os
import re
import socket
import struct
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.formats.study import from_study_text
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Frame, Inertia, Joint, Mechanism
from linkwright.recursion.twist_recursion import advance_coordinates
from linkwright.simulation.study_run import run_study
from linkwright.viewer import live_requests, live_server
from linkwright.viewer.dragging import BodyPoint, Grip, free_motions
from linkwright.viewer.live_server import LiveServer
from linkwright.viewer.page import bundle_file
from linkwright.viewer.ranges import moving_parts
from tests.viewer.mechanisms import model

NAMES = ["gough-stewart", "3-rrr", "four-bar"]


@lru_cache
def grip(name: str) -> Grip:
    return live_requests.make_grip(model(name), model(name).assemble().q)


def drags(name: str, count: int, seed: int = 0):
    """States after random pulls at the platform and at the actuators, one after the other."""
    held, rng = grip(name), np.random.default_rng(seed)
    state = live_requests.respond_to_request(held, {})
    for i in range(count):
        if state["platform"] and i % 3:
            pose = np.array(state["platform"]) + np.concatenate(
                [0.05 * held.size * rng.normal(size=3), 0.05 * rng.normal(size=4)]
            )
            request = {"pose": pose.tolist(), "turning": i % 3 == 2}
        else:
            request = {"actuators": (np.array(state["actuators"]) + 0.02 * rng.normal(size=held.model.na)).tolist()}
        before, state = state, live_requests.respond_to_request(held, {"q": state["q"], **request})
        yield before, request, state


@pytest.mark.parametrize("name", NAMES)
def test_loops_stay_closed_and_the_branch_stays_over_random_drags(name):
    states = [state for _, _, state in drags(name, 200 if name == "gough-stewart" else 60)]
    assert max(state["gap"] for state in states) < 1e-9
    assert len({state["branch"] for state in states}) == 1
    assert sum(state["reached"] for state in states) > len(states) // 4


def test_a_reached_pose_is_the_requested_pose():
    found = 0
    for _, request, state in drags("gough-stewart", 40, seed=1):
        if "pose" in request and state["reached"]:
            want = np.array(request["pose"])
            turn = want[3:] / np.linalg.norm(want[3:])
            np.testing.assert_allclose(state["platform"][:3], want[:3], atol=1e-5)
            assert abs(turn @ np.array(state["platform"][3:])) == pytest.approx(1.0, abs=1e-9)
            found += 1
    assert found > 5


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "bricard", "four-bar-flexible"])
def test_a_point_of_any_body_is_pulled_and_the_loops_stay_closed(name):
    """At the end of a pull no small motion that the loops allow brings the point nearer in the plane of the screen."""
    held, rng = grip(name), np.random.default_rng(5)
    state = live_requests.respond_to_request(held, {})
    bent = [i for i, part in enumerate(held.model.q_names) if re.search(r"\beta\d", part)]
    moved = 0.0
    for i in range(9):
        body = [b for b, each in enumerate(held.model.mechanism.bodies) if each.inertia.mass > 0.0][i % 3]
        sight, point = rng.normal(size=3), 0.1 * held.size * rng.normal(size=3)
        goal = BodyPoint(body, point, np.zeros(3), sight / np.linalg.norm(sight))
        target = goal.position(held, np.array(state["q"])) + 0.05 * held.size * rng.normal(size=3)
        request = {"body": body, "point": point.tolist(), "target": target.tolist(), "sight": sight.tolist()}
        before = state
        for _ in range(6):
            state = live_requests.respond_to_request(held, {"q": state["q"], **request})
        assert state["gap"] < 1e-9 and state["branch"] == before["branch"]
        np.testing.assert_allclose(*(np.array(each["q"])[bent] for each in (state, before)), atol=1e-12)
        moved = max(moved, np.abs(np.array(state["q"]) - before["q"]).max())
        if "edge of this assembly mode" in state["message"]:
            continue
        goal = replace(goal, xyz=target)
        q, weights = np.array(state["q"]), goal.weights(held)
        error, derivative = goal.error(held, q) * weights, goal.derivative(held, q, free_motions(held, q))
        steep = (derivative * weights[:, None]).T @ error
        assert np.abs(steep).max() < 3e-3 * held.size * np.linalg.norm(error) + 1e-9 * held.size**2
        assert state["reached"] or "as near as the mechanism comes" in state["message"]
    assert moved > 0.01


def test_derivatives_of_a_pulled_point_are_those_of_its_jacobian():
    held = grip("gough-stewart")
    q, N = held.model.assemble().q, free_motions(held, held.model.assemble().q)
    for body in (3, 12):
        goal = BodyPoint(body, np.array([0.1, -0.2, 0.3]), np.zeros(3), np.array([0.0, 0.6, 0.8]))
        step = 1e-6
        for k in range(N.shape[1]):
            errors = [goal.error(held, advance_coordinates(held.tree, q, way * step * N[:, k])) for way in (1.0, -1.0)]
            np.testing.assert_allclose(
                goal.derivative(held, q, N)[:, k], (errors[1] - errors[0]) / (2.0 * step), rtol=1e-5, atol=1e-7
            )


def test_distances_to_singularities_are_reported_by_kind():
    held = grip("gough-stewart")
    state = live_requests.respond_to_request(held, {})
    near = held.model.singularity(np.array(state["q"]))
    assert state["singularities"]["type 2"] == near.type2 and state["singularities"]["constraint"] == near.constraint
    assert state["singularity"] == pytest.approx(min(near.type1, near.type2, near.constraint))
    assert set(live_requests.respond_to_request(grip("three-link-arm"), {})["singularities"]) == {"type 1"}


def test_moved_actuators_are_where_they_were_put():
    for _, request, state in drags("gough-stewart", 30, seed=2):
        if "actuators" in request and state["reached"]:
            np.testing.assert_allclose(state["actuators"], request["actuators"], atol=1e-9)


@pytest.mark.parametrize("way", [(10.0, 0.0, 0.0), (0.0, 0.0, -10.0), (0.0, 8.0, 0.0)])
def test_an_unreachable_target_stops_at_the_boundary_with_a_message(way):
    """A Delta's rods cannot stretch: pulled far away, its platform comes nearer than it was."""
    held, state = grip("delta"), live_requests.respond_to_request(grip("delta"), {})
    start = np.array(state["platform"][:3])
    target = start + np.array(way)
    for _ in range(40):
        state = live_requests.respond_to_request(held, {"q": state["q"], "pose": [*target, *state["platform"][3:]]})
        assert state["gap"] < 1e-9
    end = np.array(state["platform"][:3])
    assert not state["reached"] and "stopped" in state["message"]
    assert np.linalg.norm(target - end) < np.linalg.norm(target - start) - 0.02


def test_actuators_that_cannot_go_on_stop_with_a_message():
    held, state = grip("five-bar"), live_requests.respond_to_request(grip("five-bar"), {})
    apart = np.array(state["actuators"]) + np.array([2.5, -2.5])
    state = live_requests.respond_to_request(held, {"q": state["q"], "actuators": apart.tolist()})
    assert not state["reached"] and "boundary" in state["message"] and state["gap"] < 1e-9


def test_efforts_hold_the_mechanism_against_gravity():
    held = grip("gough-stewart")
    *_, (_, _, state) = drags("gough-stewart", 5, seed=3)
    q, rest = np.array(state["q"]), np.zeros(held.model.nv)
    np.testing.assert_allclose(held.model.forward_dynamics(q, rest, np.array(state["efforts"])), 0.0, atol=1e-8)


@pytest.mark.parametrize("name", ["five-bar", "iftomm-two-four-bars"])
def test_rounding_gives_zero_holding_effort(name):
    """Neither needs an effort at home: the page would scale its arrows by rounding."""
    held = grip(name)
    assert live_requests.respond_to_request(held, {})["efforts"] == [0.0] * held.model.na


def test_another_assembly_mode_has_the_same_actuators_and_is_closed():
    held, state = grip("3-rrr"), live_requests.respond_to_request(grip("3-rrr"), {})
    other = live_requests.respond_to_request(held, {"q": state["q"], "mode": True})
    assert np.abs(np.array(other["q"]) - state["q"]).max() > 1e-3 and other["gap"] < 1e-9
    np.testing.assert_allclose(other["actuators"], state["actuators"], atol=1e-9)


def test_broken_limits_are_reported():
    held, state = grip("gough-stewart"), live_requests.respond_to_request(grip("gough-stewart"), {})
    assert state["limits"] == []
    short = np.array(state["actuators"])
    for _ in range(30):
        short = np.maximum(short - 0.05, 0.4)
        state = live_requests.respond_to_request(held, {"q": state["q"], "actuators": short.tolist()})
    assert state["limits"] == [str(each) for each in held.model.limits_exceeded(np.array(state["q"]))]


def test_a_page_that_lost_its_pose_starts_from_home():
    held = grip("four-bar")
    lost = live_requests.respond_to_request(held, {"q": [50.0, -3.0, 7.0]})
    assert lost["gap"] < 1e-9


@pytest.fixture(scope="module")
def server():
    served = LiveServer(model("four-bar"), "four-bar")
    thread = served.start()
    yield served
    served.close()
    thread.join(timeout=5)


def send(server, method, path, body=None, **headers):
    """Status and text of one request; headers given as None are left out."""
    usual = {"Host": f"127.0.0.1:{server.port}"}
    if method == "POST":
        usual |= {"Origin": f"http://127.0.0.1:{server.port}", "X-Linkwright-Token": server.token}
    sent = {k: v for k, v in (usual | {k.replace("_", "-"): v for k, v in headers.items()}).items() if v is not None}
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        link.putrequest(method, path, skip_host=True)
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        for name, value in sent.items():
            link.putheader(name, value)
        if method == "POST":
            link.putheader("Content-Length", str(len(data)))
        link.endheaders(data if method == "POST" else None)
        response = link.getresponse()
        return response.status, response.read().decode()
    finally:
        link.close()


def test_the_page_is_served_to_those_who_know_the_token(server):
    status, text = send(server, "GET", f"/?token={server.token}")
    assert status == 200 and "connect-src &#x27;self&#x27;" in text
    status, text = send(server, "POST", "/solve", {"actuators": [1.5]})
    assert status == 200 and json.loads(text)["actuators"] == pytest.approx([1.5])


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {}),
        ("GET", "/?token=wrong", {}),
        ("GET", "/?token={token}", {"Host": "evil.example"}),
        ("GET", "/?token={token}", {"Host": None}),
        ("GET", "/../../etc/passwd?token={token}", {}),
        ("POST", "/solve", {"Origin": "http://evil.example"}),
        ("POST", "/solve", {"Origin": None}),
        ("POST", "/solve", {"Origin": "null"}),
        ("POST", "/solve", {"X_Linkwright_Token": "wrong"}),
        ("POST", "/solve", {"X_Linkwright_Token": None}),
        ("POST", "/solve", {"Host": "127.0.0.1.evil.example"}),
    ],
)
def test_others_are_refused(server, method, path, headers):
    status, text = send(server, method, path.format(token=server.token), **headers)
    assert status == 403 and "refused" in text and server.token not in text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[1]", 400),
        (b"\xff" * 40, 400),
        (b"[" * 100_000, 400),
        (b'{"actuators": [' + b"9" * 400 + b"]}", 400),
        ({"actuators": [1.0, 2.0]}, 422),
        ({"actuators": ["x"]}, 422),
        ({"q": "home"}, 422),
        ({"actuators": [None]}, 422),
        ({"pose": [0, 0, 0, 1, 0, 0, 0]}, 422),
        ({"body": 7, "point": [0, 0, 0], "target": [0, 0, 0], "sight": [0, 0, 1]}, 422),
        ({"body": True, "point": [0, 0, 0], "target": [0, 0, 0], "sight": [0, 0, 1]}, 422),
        ({"body": 0, "point": [0, 0, 0], "target": [0, 0, 0], "sight": [0, 0, 0]}, 422),
        ({"body": 0, "point": [0, 0, 0]}, 422),
    ],
)
def test_nonsense_gets_an_error_message(server, body, status):
    found, text = send(server, "POST", "/solve", body)
    assert found == status and json.loads(text)["error"]
    assert send(server, "POST", "/solve")[0] == 200


@pytest.mark.parametrize(
    "sent", [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"A" * 70_000 + b"\r\n", b"GET / HTTP/1.1\r\nHost"]
)
def test_malformed_requests_and_resets_end_one_connection_quietly(server, sent, capfd):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
        link.sendall(sent)
    assert send(server, "POST", "/solve")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_idle_connections_are_bounded_in_number_and_time(monkeypatch):
    monkeypatch.setattr(live_server, "MOST_CONNECTIONS", 8)
    monkeypatch.setattr(live_server, "_FIRST_WAIT", 0.3)
    served = LiveServer(model("four-bar"), "four-bar")
    thread = served.start()
    idle = [socket.create_connection(("127.0.0.1", served.port), timeout=5) for _ in range(30)]
    try:
        closed = [link for link in idle if link.recv(1) == b""]  # those beyond the bound at once, the others in time
        assert len(closed) == 30
        assert send(served, "POST", "/solve")[0] == 200
    finally:
        for link in idle:
            link.close()
        served.close()
        thread.join(timeout=5)


def test_the_browser_is_led_to_the_page_by_a_file_of_this_user(server):
    path = Path(url2pathname(urlsplit(server.redirect_file()).path))
    assert server.address.replace("&", "&amp;") in path.read_text()
    assert os.name == "nt" or path.stat().st_mode & 0o077 == 0
    server.remove_files()
    assert not path.exists()


def test_the_server_listens_on_this_computer_only_and_each_has_its_own_token(server):
    second = LiveServer(model("four-bar"))
    second._server.server_close()
    assert server._server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32 and server.token != second.token


def test_a_recorded_motion_is_a_study_that_can_be_run(server):
    state = live_requests.respond_to_request(grip("four-bar"), {})
    t = np.linspace(0.0, 1.0, 30)
    rows = []
    for theta in state["actuators"][0] + 0.3 * np.sin(t) ** 2:
        state = live_requests.respond_to_request(grip("four-bar"), {"q": state["q"], "actuators": [theta]})
        rows.append(state["q"])
    status, text = send(server, "POST", "/study", {"t": t.tolist(), "q": rows})
    assert status == 200
    study = from_study_text(json.loads(text)["text"])
    assert study.mechanism == "four-bar" and study.t_end == pytest.approx(1.0)
    run = run_study(study, model("four-bar").mechanism)
    assert run["theta"][-1] == pytest.approx(rows[-1][0], abs=1e-2)
    assert send(server, "POST", "/study", {"t": [0, 1], "q": rows[:2]})[0] == 422


def test_hostile_names_are_text_on_the_live_page_too():
    evil = "</script><img src=x onerror=alert(1)>"
    mech = Mechanism(evil, (Body(evil),), (Joint(evil, "ground", evil, Revolute()),))
    served = LiveServer(lw.build(mech), evil)
    served._server.server_close()
    text = served.html()
    assert evil not in text and "<img" not in text.replace(bundle_file("viewer.js"), "")
    assert html.escape(evil) in text.split("</head>")[0]


PARTS = {
    "five-bar": "x y yaw",
    "3-rpr": "x y yaw",
    "delta": "x y z",
    "agile-eye": "roll pitch yaw",
    "par4": "x y z yaw",
    "sarrus": "z",
    "gough-stewart": "x y z roll pitch yaw",
    "four-bar": "",
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_the_pose_that_the_platform_can_change(name):
    model = lw.build(lw.catalog.load(name))
    q = model.assemble().q
    assert moving_parts(live_requests.make_grip(model, q), q) == PARTS[name].split()


def test_an_arm_in_a_vertical_plane_pitches():
    rod, beyond = Inertia(1.0, (0.2, 0.0, 0.0)), RigidTransform((0.4, 0.0, 0.0))
    about_y, names = Revolute((0.0, 1.0, 0.0)), ("ground", "b1", "b2", "b3")
    joints = [Joint(f"j{i}", names[i], names[i + 1], about_y, beyond) for i in range(3)]
    arm = Mechanism(
        "arm", tuple(Body(name, rod) for name in names[1:]), tuple(joints), frames=(Frame("tip", "b3"),), platform="tip"
    )
    upright = lw.build(replace(arm, home=tuple((joint.name, (0.3,)) for joint in joints)))
    q = upright.assemble().q
    assert moving_parts(live_requests.make_grip(upright, q), q) == ["x", "z", "pitch"]
