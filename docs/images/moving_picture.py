"""The picture that moves in the README: `python docs/images/moving_picture.py` computes it and writes moving.svg.

A hexapod follows a motion; inverse kinematics gives its legs, inverse dynamics their forces, drawn as bars. The file is
plain SVG with animated coordinates: no script, and about 20 kB.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw

FRAMES, SECONDS = 48, 4.0
WIDTH, HEIGHT = 640, 330
LOWER, UPPER, PLATE, BASE, TEXT = "#4477aa", "#66ccee", "#228833", "#8a8a8a", "#808080"


def motion(t):
    """Position and roll, pitch, yaw of the platform."""
    w = 2 * np.pi / SECONDS
    x, y, z = 0.08 * np.sin(w * t), 0.08 * np.cos(w * t), 0.7 + 0.04 * np.sin(2 * w * t)
    return [x, y, z, 0.18 * np.cos(w * t), 0.18 * np.sin(w * t), 0.15 * np.sin(w * t)]


def picture() -> str:
    """The file as text."""
    model = lw.build(lw.catalog.load("hexapod"))
    t = np.linspace(0.0, SECONDS, FRAMES + 1)
    run = lw.motion(model, t, pose=motion)
    joints = {joint.name: joint for joint in (*model.mechanism.joints, *model.mechanism.loops)}
    below = np.array([joints[f"hooke{i}"].at.xyz for i in range(1, 7)])
    rim = np.array([joints[f"ball{i}"].child_at.xyz for i in range(1, 7)])
    pose = model.frame_pose(run.q, "platform")
    position, turn = pose.position, pose.rotation
    above = np.einsum("tij,lj->tli", turn, rim) + position[:, None]
    along = (above - below) / np.linalg.norm(above - below, axis=2, keepdims=True)
    ends = np.stack([np.broadcast_to(below, above.shape), below + 0.5 * along, above - 0.5 * along, above], axis=2)
    parts = [
        *_ground(_round(below)),
        *_legs(_flat(ends)),
        _plate(_flat(above[:, _order(rim)])),
        *_bars(run.tau),
        *_texts(model, run),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([head, *parts, "</svg>\n"])


def _order(points: np.ndarray) -> np.ndarray:
    """The way around the z axis."""
    return np.argsort(np.arctan2(points[:, 1], points[:, 0]))


def _round(points: np.ndarray) -> np.ndarray:
    return points[_order(points)]


def _flat(x: np.ndarray) -> np.ndarray:
    """Points of space on the page: turned about z, seen from above at a slant, in pixels."""
    a, b = np.radians(28.0), np.radians(24.0)
    right = x[..., 0] * np.cos(a) - x[..., 1] * np.sin(a)
    away = x[..., 0] * np.sin(a) + x[..., 1] * np.cos(a)
    up = x[..., 2] * np.cos(b) + away * np.sin(b)
    return np.stack([200 + 225 * right, 232 - 225 * up], axis=-1)


def _animated(name: str, values) -> str:
    text = ";".join(values)
    return f'<animate attributeName="{name}" dur="{SECONDS}s" repeatCount="indefinite" values="{text}"/>'


def _line(a: np.ndarray, b: np.ndarray, color: str, width: float, cap: str = "round") -> str:
    """A line between two tracks (frames, 2)."""
    tracks = {"x1": a[:, 0], "y1": a[:, 1], "x2": b[:, 0], "y2": b[:, 1]}
    start = " ".join(f'{name}="{x[0]:.0f}"' for name, x in tracks.items())
    moves = "".join(_animated(name, [f"{v:.1f}" for v in x]) for name, x in tracks.items() if np.ptp(x) > 0.05)
    return f'<line {start} stroke="{color}" stroke-width="{width}" stroke-linecap="{cap}">{moves}</line>'


def _ground(below: np.ndarray) -> list[str]:
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in _flat(below * [1.08, 1.08, 1.0] - [0, 0, 0.03]))
    return [f'<polygon points="{corners}" fill="{BASE}" fill-opacity="0.35" stroke="{BASE}"/>']


def _legs(ends: np.ndarray) -> list[str]:
    """Far legs first; of each the lower and the upper tube."""
    order = np.argsort(ends[0, :, 0, 1])
    lower = [_line(ends[:, i, 0], ends[:, i, 1], LOWER, 10) for i in order]
    return lower + [_line(ends[:, i, 2], ends[:, i, 3], UPPER, 6) for i in order]


def _plate(above: np.ndarray) -> str:
    frames = [" ".join(f"{x:.0f},{y:.0f}" for x, y in corners) for corners in above]
    style = f'fill="{PLATE}" fill-opacity="0.85" stroke="{PLATE}" stroke-width="6" stroke-linejoin="round"'
    return f'<polygon points="{frames[0]}" {style}>{_animated("points", frames)}</polygon>'


def _bars(tau: np.ndarray) -> list[str]:
    """Forces of the legs, pushing to the right."""
    scale = 170 / np.abs(tau).max()
    bars = []
    for i in range(6):
        y = 70 + 34 * i
        a = np.column_stack([np.full(len(tau), 440.0), np.full(len(tau), y)])
        bars.append(_line(a, a + np.column_stack([scale * tau[:, i], np.zeros(len(tau))]), UPPER, 14, "butt"))
        bars.append(f'<text x="418" y="{y + 4}" font-size="12" text-anchor="end" fill="{TEXT}">leg {i + 1}</text>')
    return [*bars, f'<line x1="440" y1="50" x2="440" y2="260" stroke="{TEXT}"/>']


def _texts(model, run) -> list[str]:
    peak = f"up to {np.abs(run.tau).max():.0f} N"
    closed = f"six loops closed within {np.abs(model.closure_residual(run.q)).max():.0e} m"
    lines = ((440, 34, f"forces of the legs, {peak}"), (440, 290, closed))
    return [f'<text x="{x}" y="{y}" font-size="12" fill="{TEXT}">{text}</text>' for x, y, text in lines]


if __name__ == "__main__":
    path = Path(__file__).with_name("moving.svg")
    path.write_text(picture(), encoding="utf-8", newline="\n")
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
