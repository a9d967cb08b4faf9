"""Instructions in blocks: fresh names, labels, and memory for variables at the function's head."""

from __future__ import annotations


class Blocks:
    """The text of one function in the making; after a jump nothing is written until the next block starts."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.ended = False
        self._count = 0

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def put(self, line: str) -> None:
        """An instruction without result."""
        self.lines.append(line)

    def let(self, expression: str) -> str:
        """An instruction with a result; returns its name."""
        name = f"%{self._name('t')}"
        self.lines.append(f"{name} = {expression}")
        return name

    def slot(self, kind: str) -> str:
        """Memory for one value, set aside once per call of the function."""
        name = f"%{self._name('s')}"
        self.slots.append(f"{name} = alloca {kind}, align 8")
        return name

    def label(self, stem: str) -> str:
        return self._name(stem)

    def jump(self, label: str) -> None:
        if not self.ended:
            self.put(f"br label %{label}")
        self.ended = True

    def start(self, label: str) -> None:
        """Begin a block; the one before must have ended in a jump."""
        self.lines.append(f"{label}:")
        self.ended = False
