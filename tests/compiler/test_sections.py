"""Sections of a loaded library lie in one block: code names its constants by distances of 32 bits."""

import mmap
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.runtime import code


def mapped() -> set[tuple[int, int]]:
    """Ranges of memory without a file that code or constants may lie in."""
    found = set()
    with open("/proc/self/maps", encoding="ascii") as lines:
        for line in lines:
            where, rights, _, _, inode, *_ = line.split()
            if inode == "0" and rights in ("r-xp", "r--p"):
                low, high = where.split("-")
                found.add((int(low, 16), int(high, 16)))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="mappings are read from /proc")
def test_sections_of_a_library_are_in_one_block(monkeypatch, tmp_path):
    placed, load = [], code.load_object_code

    def noted(*given):
        before = mapped()
        made = load(*given)
        placed.append(sorted(mapped() - before))
        return made

    monkeypatch.setattr(code, "load_object_code", noted)
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path))
    model = lw.build(lw.catalog.load("slider-crank", parameters={"crank": 0.1234}))
    q = model.assemble().q
    model.forward_dynamics(np.tile(q, (20_000, 1)), np.zeros((20_000, model.nv)), np.zeros((20_000, model.na)))
    several = [ranges for ranges in placed if len(ranges) > 1]
    assert several
    for ranges in several:
        taken = sum(high - low for low, high in ranges)
        assert ranges[-1][1] - ranges[0][0] <= taken + 4 * mmap.PAGESIZE, ranges  # data may lie in between
