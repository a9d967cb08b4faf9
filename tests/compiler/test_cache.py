"""The cache saves work when it is safe to use, and is never needed."""

import logging
import multiprocessing
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright.compiler
from linkwright.compiler import Options, compiled, trace
from linkwright.compiler.cache import entries
from linkwright.compiler.cache.entries import warn_once
from linkwright.compiler.runtime import kernel
from linkwright.compiler.runtime.code import generator_hash

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are POSIX ideas")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(path))
    monkeypatch.setattr(kernel, "ENTRY_AFTER", 500)
    warn_once.cache_clear()
    return path


def kernels(folder):
    """Entries of keys, without those that hold object code by its text."""
    return [path for path in folder.iterdir() if not path.name.startswith("code-")]


def doubled(calls=None):
    if calls is not None:
        calls.append(1)
    return trace(lambda x: 2.0 * x, {"x": 3})


def build(key="k", options=None):
    """Number of times the program was traced to serve one request; the kernel must work in any case."""
    calls = []
    found = compiled(key, lambda: doubled(calls), options)
    assert found(np.ones(3)).tolist() == [2.0] * 3
    assert found.count.mul == 3
    return len(calls)


def test_a_hit_skips_tracing(folder):
    assert (build(), build(), build("other"), build(options=Options(lanes=2))) == (1, 0, 1, 1)
    assert len(kernels(folder)) == 3
    assert len(list(folder.iterdir())) == 4  # one text, which all keys share


def test_parts_are_made_when_first_needed(folder):
    calls = []

    def made():
        return compiled("k", lambda: doubled(calls))

    first = made()
    assert first(np.ones(3)).tolist() == [2.0] * 3
    assert (len(calls), len(kernels(folder))) == (1, 1)
    assert first(np.ones((50, 3))).tolist() == [[2.0] * 3] * 50  # in lanes
    assert (len(calls), len(kernels(folder))) == (3, 3)  # a draft, one state, lanes
    files = len(list(folder.iterdir()))
    assert first.call(np.ones(3)).tolist() == [2.0] * 3
    assert len(list(folder.iterdir())) == files + 1  # the entry point, by its text
    again = made()
    assert again.call(np.ones((50, 3))).tolist() == [[2.0] * 3] * 50
    assert (len(calls), len(list(folder.iterdir()))) == (3, files + 1)


@pytest.mark.parametrize("part", ["trace", "passes", "codegen", "runtime", "cache"])
def test_the_key_changes_with_every_file_that_makes_code(part, tmp_path):
    root = tmp_path / "compiler"
    shutil.copytree(Path(linkwright.compiler.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))
    hash_of = generator_hash.__wrapped__
    before = hash_of(root)
    assert before == hash_of()
    for path in (root / part).glob("*.py"):
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert hash_of(root) != before, path.name
        path.write_bytes(text)


def test_off_means_off(folder, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    assert (build(), build()) == (1, 1) and not folder.exists()


def test_the_platform_folder_is_used_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("LINKWRIGHT_CACHE")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert (build(), build()) == (1, 0)
    assert len(list(tmp_path.rglob("*.lwk"))) == 2


@posix
def test_the_folder_is_the_users_alone(folder):
    build()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


@posix
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777])
def test_a_folder_others_may_enter_is_not_used(folder, mode, caplog):
    folder.mkdir(mode=0o700)
    folder.chmod(mode)
    assert (build(), build()) == (1, 1)
    assert sum("mode is" in r.message for r in caplog.records) == 1


@posix
def test_a_folder_of_someone_else_is_not_used(folder, monkeypatch, caplog):
    folder.mkdir(mode=0o700)
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert (build(), build()) == (1, 1) and "someone else" in caplog.text


@posix
def test_a_link_in_place_of_the_folder_is_not_used(folder, tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "real")
    assert (build(), build()) == (1, 1)


def test_a_file_in_place_of_the_folder(folder, caplog):
    folder.write_text("not a folder")
    assert (build(), build()) == (1, 1)
    assert len(caplog.records) == 1


DAMAGE = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "foreign": lambda data: b"\x7fELF" + data,
    "header only": lambda data: data[:40],
}


@pytest.mark.parametrize("shared", [False, True], ids=["description", "code"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_entries_are_made_again(folder, damage, shared):
    build()
    (path,) = [path for path in folder.iterdir() if path.name.startswith("code-") == shared]
    path.write_bytes(damage(path.read_bytes()))
    assert (build(), build()) == (1, 0)


def test_an_entry_under_another_name_is_not_believed(folder):
    build("a")
    (first,) = kernels(folder)
    build("b")
    (second,) = set(kernels(folder)) - {first}
    second.write_bytes(first.read_bytes())
    assert build("b") == 1


def test_code_that_does_not_load_is_made_again(folder):
    build()
    (path,) = set(folder.iterdir()) - set(kernels(folder))
    entry = entries._decoded(path.read_bytes(), path.stem)
    path.write_bytes(entries._encoded(replace(entry, code=b"junk"), path.stem))
    assert (build(), build()) == (1, 0)


def test_an_entry_point_that_does_not_load_is_made_again(folder):
    def call():
        return compiled("k", doubled).call(np.ones(3)).tolist()

    compiled("k", doubled).addresses["lw_state"]
    before = set(folder.iterdir())
    assert call() == [2.0] * 3
    (path,) = set(folder.iterdir()) - before
    entry = entries._decoded(path.read_bytes(), path.stem)
    path.write_bytes(entries._encoded(replace(entry, code=b"junk"), path.stem))
    assert call() == [2.0] * 3
    assert entries._decoded(path.read_bytes(), path.stem).code == entry.code


def test_equal_text_is_compiled_once(monkeypatch):
    build("a")
    monkeypatch.setattr("linkwright.compiler.runtime.code.object_code", None)
    assert build("b") == 1  # traced, not compiled


def test_a_full_disk_is_a_warning_once(folder, monkeypatch, caplog):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert (build(), build()) == (1, 1)
    assert [r.levelno for r in caplog.records] == [logging.WARNING]
    assert list(folder.iterdir()) == []


def test_a_folder_deleted_while_in_use_comes_back(folder):
    build()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert (build(), build()) == (1, 0)


def test_the_longest_unused_entries_go_first(folder, monkeypatch):
    for i, key in enumerate("abc"):
        entries.keep(key, 1000 * "x")
        os.utime(folder / f"note-{key}.lwk", (1000 + i, 1000 + i))
    assert entries.recall("a")  # touched: now the most recent
    monkeypatch.setattr(entries, "SIZE_LIMIT", sum(p.stat().st_size for p in folder.iterdir()))
    monkeypatch.setattr(entries, "LOOK_EVERY", 1)
    entries.keep("d", 1000 * "x")
    assert entries.recall("a") and entries.recall("d") and not entries.recall("b")


def _worker(path, barrier):
    os.environ["LINKWRIGHT_CACHE"] = path
    barrier.wait()
    compiled("shared", doubled)(np.ones(3))


def test_two_processes_may_write_at_once(folder):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=_worker, args=(str(folder), barrier)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert build("shared") == 0 and len(list(folder.iterdir())) == 2
