"""Whether a promise was kept."""

from __future__ import annotations

NEAR = 0.05  # runs on one computer differ by a few percent


def verdict(found: float, promised: float, at_most: bool = False) -> str:
    """Met or not; near the promise another run may say otherwise.

    >>> verdict(25.0, 20.0), verdict(39.5, 40.0), verdict(1.45, 1.5, at_most=True)
    ('met', 'NOT met, borderline', 'met, borderline')
    """
    met = found <= promised if at_most else found >= promised
    near = abs(found / promised - 1.0) < NEAR
    return ("met" if met else "NOT met") + (", borderline" if near else "")
