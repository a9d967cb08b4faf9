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
from linkwright.compiler import Options, cache, cached_kernel, trace
from linkwright.compiler import cache as keys
from linkwright.compiler.cache import user_key, warn_once
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


def files(folder):
    """Entries, without the count of them."""
    return list(folder.glob("*.lwk"))


def kernels(folder):
    """Entries of keys, without those that hold object code by its text."""
    return [path for path in files(folder) if not path.name.startswith("code-")]


def decoded(path):
    return cache._decode_entry(path.read_bytes(), path.stem, user_key(path.parent))


def encoded(entry, path):
    return cache._encode_entry(entry, path.stem, user_key(path.parent))


def doubled(calls=None):
    if calls is not None:
        calls.append(1)
    return trace(lambda x: 2.0 * x, {"x": 3})


def build(key="k", options=None):
    """Number of times the program was traced to serve one request; the kernel must work in any case."""
    calls = []
    found = cached_kernel(key, lambda: doubled(calls), options)
    assert found(np.ones(3)).tolist() == [2.0] * 3
    assert found.count.mul == 3
    return len(calls)


def test_a_hit_skips_tracing(folder):
    assert (build(), build(), build("other"), build(options=Options(lanes=2))) == (1, 0, 1, 1)
    assert len(kernels(folder)) == 3
    assert len(files(folder)) == 4  # one text, which all keys share


def test_parts_are_made_when_first_needed(folder):
    calls = []

    def made():
        return cached_kernel("k", lambda: doubled(calls))

    first = made()
    assert first(np.ones(3)).tolist() == [2.0] * 3
    assert (len(calls), len(kernels(folder))) == (1, 1)
    assert first(np.ones((50, 3))).tolist() == [[2.0] * 3] * 50  # in lanes
    assert (len(calls), len(kernels(folder))) == (3, 3)  # a draft, one state, lanes
    before = len(files(folder))
    assert first.call(np.ones(3)).tolist() == [2.0] * 3
    assert len(files(folder)) == before + 1  # the entry point, by its text
    again = made()
    assert again.call(np.ones((50, 3))).tolist() == [[2.0] * 3] * 50
    assert (len(calls), len(files(folder))) == (3, before + 1)


@pytest.mark.parametrize("part", ["trace", "passes", "codegen", "runtime", ""])
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
    (key,) = tmp_path.rglob("cache.key")
    assert not key.is_relative_to(cache.cache_folder()) or sys.platform == "darwin"
    assert sys.platform == "win32" or key.stat().st_mode & 0o777 == 0o600


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
    (path,) = [path for path in files(folder) if path.name.startswith("code-") == shared]
    path.write_bytes(damage(path.read_bytes()))
    assert (build(), build()) == (1, 0)


def test_entries_of_another_version_are_made_again_without_a_message(folder, caplog):
    build()
    for path in files(folder):
        path.write_bytes(b"LWKERN02" + path.read_bytes()[8:])
    assert (build(), build()) == (1, 0)
    assert not caplog.records


def test_entries_of_another_version_are_made_again_without_a_word(folder, caplog):
    build()
    for path in files(folder):
        path.write_bytes(b"LWKERN02" + path.read_bytes()[8:])
    assert (build(), build()) == (1, 0) and not caplog.records


def test_an_entry_under_another_name_is_not_believed(folder):
    build("a")
    (first,) = kernels(folder)
    build("b")
    (second,) = set(kernels(folder)) - {first}
    second.write_bytes(first.read_bytes())
    assert build("b") == 1


def test_code_that_does_not_load_is_made_again(folder):
    build()
    (path,) = set(files(folder)) - set(kernels(folder))
    entry = decoded(path)
    path.write_bytes(encoded(replace(entry, code=b"junk"), path))
    assert (build(), build()) == (1, 0)


def test_an_entry_point_that_does_not_load_is_made_again(folder):
    def call():
        return cached_kernel("k", doubled).call(np.ones(3)).tolist()

    cached_kernel("k", doubled).addresses["lw_state"]
    before = set(files(folder))
    assert call() == [2.0] * 3
    (path,) = set(files(folder)) - before
    entry = decoded(path)
    path.write_bytes(encoded(replace(entry, code=b"junk"), path))
    assert call() == [2.0] * 3
    assert decoded(path).code == entry.code


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
    assert files(folder) == [] and list(folder.glob(".writing-*")) == []


def test_a_folder_deleted_while_in_use_comes_back(folder):
    build()
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert (build(), build()) == (1, 0)


def test_the_longest_unused_entries_go_first(folder, monkeypatch):
    for i, key in enumerate("abc"):
        cache.keep_text(key, 1000 * "x")
        os.utime(folder / f"note-{key}.lwk", (1000 + i, 1000 + i))
    assert cache.recall_text("a")  # touched: now the most recent
    monkeypatch.setattr(cache, "SIZE_LIMIT", sum(p.stat().st_size for p in files(folder)))
    cache.keep_text("d", 1000 * "x")
    assert cache.recall_text("a") and cache.recall_text("d") and not cache.recall_text("b")


def _worker(path, barrier):
    os.environ["LINKWRIGHT_CACHE"] = path
    barrier.wait()
    cached_kernel("shared", doubled)(np.ones(3))


def test_two_processes_may_write_at_once(folder):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=_worker, args=(str(folder), barrier)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert build("shared") == 0 and len(files(folder)) == 2


@pytest.fixture
def no_key_yet(tmp_path, monkeypatch):
    """A home without a key."""
    for name in ("XDG_DATA_HOME", "APPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(keys, "_known", {})
    return tmp_path / "home"


def test_a_forged_entry_is_made_again_and_not_run(folder, no_key_yet, monkeypatch):
    """Signed with another key: whole, well formed, under the right name, and not this user's."""
    build()
    (path,) = kernels(folder)
    entry = decoded(path)
    forged = replace(entry, code=b"evil")
    path.write_bytes(cache._encode_entry(forged, path.stem, bytes(32)))
    assert cache.read_entry(path.stem) is None
    assert (build(), build()) == (1, 0)
    path.write_bytes(cache._encode_entry(forged, path.stem, user_key(folder)))
    assert cache.read_entry(path.stem).code  # what a thief of the key could do
    for other in no_key_yet.rglob("cache.key"):
        other.unlink()
    monkeypatch.setattr(keys, "_known", {})
    assert cache.read_entry(path.stem) is None  # a cache whose key is gone is not believed


@posix
@pytest.mark.parametrize("fault", ["readable", "short", "pipe", "link"])
def test_a_key_that_others_may_know_is_replaced(no_key_yet, folder, monkeypatch, fault):
    build()
    (path,) = no_key_yet.rglob("cache.key")
    before = path.read_bytes()
    if fault == "readable":
        path.chmod(0o644)
    elif fault == "short":
        path.write_bytes(b"123")
    else:
        path.unlink()
        os.mkfifo(path) if fault == "pipe" else path.symlink_to("/dev/zero")
    monkeypatch.setattr(keys, "_known", {})
    assert (build(), build()) == (1, 0)
    assert len(path.read_bytes()) == 32 and path.read_bytes() != before
    assert path.stat().st_mode & 0o777 == 0o600 and not path.is_symlink()


@posix
def test_without_a_home_the_key_lies_with_the_entries(no_key_yet, folder):
    no_key_yet.write_text("not a folder")
    assert (build(), build()) == (1, 0)
    assert (folder / "cache.key").stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("kind", ["pipe", "link", "device", "folder", "readable", "huge", "recursive"])
def test_odd_entries_are_ignored_and_replaced(folder, kind):
    build()
    (path,) = kernels(folder)
    content = path.read_bytes()
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path, 0o600)
    elif kind in ("link", "device"):
        (folder / "elsewhere").write_bytes(content)
        path.symlink_to("/dev/zero" if kind == "device" else folder / "elsewhere")
    elif kind == "folder":
        path.mkdir()
    elif kind == "readable":
        path.write_bytes(content)
        path.chmod(0o644)
    elif kind == "huge":
        with path.open("wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.truncate(2**40)
    else:
        description = b'{"key":' + b"[" * 100_000
        body = len(description).to_bytes(4, "little") + description
        path.write_bytes(cache._MAGIC + keys.sign_bytes(body, user_key(folder)) + body)
        path.chmod(0o600)
    assert (build(), build()) == ((1, 1) if kind == "folder" else (1, 0))


def test_the_folder_is_scanned_only_when_the_count_says_that_it_is_full(folder, monkeypatch):
    scans = []
    real = cache._list_cache_entries
    monkeypatch.setattr(cache, "_list_cache_entries", lambda place: (scans.append(1), real(place))[1])
    monkeypatch.setattr(cache, "LOOK_EVERY", 1e18)
    monkeypatch.setattr(cache, "MOST_ENTRIES", 50)
    for k in range(200):
        cache.keep_text(f"{k:03}", "x")
    assert len(files(folder)) <= 50
    assert 1 + 150 // 11 <= len(scans) <= 2 + 200 // 10  # a fifth is free after each
    assert all(cache.recall_text(f"{k:03}") for k in range(190, 200))


@posix
@pytest.mark.parametrize("fault", ["pipe", "link", "folder", "text", "held"])
def test_an_odd_count_does_no_harm(folder, fault):
    build()
    count = folder / ".count"
    count.unlink()
    held = None
    if fault == "pipe":
        os.mkfifo(count)
    elif fault == "link":
        count.symlink_to(folder / "nowhere" / "else")
    elif fault == "folder":
        count.mkdir()
    elif fault == "text":
        count.write_text("many")
    else:
        import fcntl

        held = count.open("wb")
        fcntl.flock(held, fcntl.LOCK_EX)
    assert (build("new"), build("new")) == (1, 0)
    if held is not None:
        held.close()


def _filler(path, barrier, first):
    os.environ["LINKWRIGHT_CACHE"] = path
    cache.SIZE_LIMIT, cache.MOST_ENTRIES = 200_000, 150
    barrier.wait()
    for k in range(100):
        cache.keep_text(f"{first}x{k}", "x" * 2000)
        assert cache.recall_text(f"{first}x{k}") in ("x" * 2000, None)


def test_six_writers_keep_to_the_bound(folder):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(6)
    workers = [context.Process(target=_filler, args=(str(folder), barrier, k)) for k in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 6
    left = files(folder)
    assert sum(path.stat().st_size for path in left) < 1.3 * 200_000 and len(left) < 1.3 * 150
    assert all(cache.recall_text(path.stem.removeprefix("note-")) == "x" * 2000 for path in left)
    assert not list(folder.glob(".writing-*"))
