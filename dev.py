"""Set up and run linkwright from a fresh clone: `python3 dev.py demo`, `python3 dev.py test`, `python3 dev.py --help`.

Needs nothing but Python. The environment lives in `.venv` beside this file and is installed again only when
`pyproject.toml` changes. Written so that even an old Python can read the file and say that it is too old.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
EXE = ".exe" if os.name == "nt" else ""
PYTHON = SCRIPTS / ("python" + EXE)
STAMP = VENV / "linkwright-setup.json"


class Stop(Exception):
    """An expected fault; its message ends with the way out."""


# --- the commands ----------------------------------------------------------------------------------------------------


def demo(args: list) -> int:
    """run the demonstration, `linkwright demo`"""
    prepare(set())
    return run([SCRIPTS / ("linkwright" + EXE), "demo", *args], os.getcwd())  # its report goes where the user is


def check(args: list) -> int:
    """the same: layout, lint, types, import rules, unit tests, doctests"""
    prepare({"dev"})
    browser()
    steps = {"ruff format": ["ruff", "format", "--check", "."], "ruff check": ["ruff", "check", "."]}
    failed = [name for name, step in steps.items() if announce(name, run([PYTHON, "-m", *step]))]
    if failed:
        say("failed: {} (the tests still run; `python3 dev.py format` fixes what it can)".format(", ".join(failed)))
    os.environ.setdefault("HYPOTHESIS_PROFILE", "ci")
    # loadfile: a file's models are built and compiled by one worker; --capture=sys: what a library prints before it
    # aborts the process is seen
    options = ["-n", "2", "--dist", "loadfile", "--capture=sys", "--durations=40", "--doctest-modules"]
    if args:  # a few tests may end before mypy does, and their closing line is to be the last
        failed += check_types()
    with ThreadPoolExecutor(1) as beside:  # mypy has one thread: alone it would leave the other processors idle
        types = None if args else beside.submit(check_types)
        tests = run([PYTHON, "-m", "pytest", *options, *(args or ["tests", "src"])])
        failed += types.result() if types else []
    return tests or int(bool(failed))


def check_types() -> list:
    """Run mypy and say what it finds at once; the name of the step if it failed."""
    checked = quietly([PYTHON, "-m", "mypy"])
    if announce("mypy", checked.returncode):
        sys.stderr.write(checked.stdout)
    return ["mypy"] if checked.returncode else []


def test(args: list) -> int:
    """set everything up and run every check; arguments choose tests, as for pytest; --quick: what a change needs"""
    return quick() if args == ["--quick"] else check(args)


def quick() -> int:
    """Lint, and within a minute the tests of what changed since `main` (see tests/quick.py)."""
    prepare({"dev"})
    steps = (["ruff", "format", "--check", "-q", "."], ["ruff", "check", "-q", "."])
    failed = [step for step in steps if announce(" ".join(step[:2]), run([PYTHON, "-m", *step]))]
    return run([PYTHON, "-m", "tests.quick"]) or int(bool(failed))


def soak(args: list) -> int:
    """an hour or more: every case of the tests that run a sample, then the long searches of CONTRIBUTING.md"""
    prepare({"dev"})
    os.environ["LINKWRIGHT_SOAK"] = "1"
    tests = check(args)
    searches = (["tests.loops.random_mechanisms", "1000"], ["tests.hostile", "--count", "1000", "--jobs", "2"])
    failed = [words for words in searches if announce(" ".join(words), run([PYTHON, "-m", *words]))]
    return tests or int(bool(failed))


def format(args: list) -> int:
    """lay out the code and fix what the linter can fix"""
    prepare({"dev"})
    return max(run([PYTHON, "-m", "ruff", "check", "--fix", "."]), run([PYTHON, "-m", "ruff", "format", "."]))


def bench(args: list) -> int:
    """run the benchmarks against other engines"""
    if not (ROOT / "benchmarks" / "__main__.py").exists():
        raise Stop("There are no benchmarks in this version yet.")
    prepare({"bench"})
    return run([PYTHON, "-m", "benchmarks", *args])


def digests(args: list) -> int:
    """compare all traced programs with the stored digests; --update rewrites these"""
    prepare({"dev"})
    return run([PYTHON, "-m", "tests.refactoring.digests", *args])


def same_bits(args: list) -> int:
    """compare results, runs and written files with those of a commit, bit by bit"""
    prepare({"dev"})
    return run([PYTHON, "-m", "tests.refactoring.same_bits", *args])


def docs(args: list) -> int:
    """build the documentation into docs/_build/html"""
    prepare({"docs", "plot"})
    if shutil.which("npm"):
        run([shutil.which("npm"), "install", "--silent", "--no-save", "--prefix", ROOT / "docs", "mathjax@3"])
    else:
        say("npm is not here: equations will be shown as they are written")
    return run([PYTHON, "-m", "sphinx", "-b", "html", "docs", "docs/_build/html", "-W", "--keep-going", *args])


def setup(args: list) -> int:
    """only make the environment, with the tools for development"""
    prepare({"dev"})
    say(f"ready: {PYTHON.relative_to(ROOT)}")
    return 0


COMMANDS = {
    command.__name__.replace("_", "-"): command
    for command in (demo, test, check, soak, format, bench, digests, same_bits, docs, setup)
}


# --- the environment -------------------------------------------------------------------------------------------------


def prepare(extras: set) -> None:
    """Make `.venv` hold linkwright with the extras; costs nothing when it already does."""
    digest = hashlib.sha256(str(ROOT).encode() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    done = stamp()
    if not PYTHON.exists():
        make_venv()
    elif done.get("digest") == digest and extras <= set(done["extras"]):
        return
    wanted = sorted(extras | set(done.get("extras", [])))
    install(wanted)
    STAMP.write_text(json.dumps({"digest": digest, "extras": wanted}) + "\n", encoding="utf-8")


def stamp() -> dict:
    """What the last complete installation was for; empty when there was none."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8")) if PYTHON.exists() else {}
    except (OSError, ValueError):
        return {}


def make_venv() -> None:
    say("making the environment .venv")
    uv = shutil.which("uv")
    if uv:
        must([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, VENV], "Making .venv with uv")
    elif importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"):
        must([sys.executable, "-m", "venv", "--clear", VENV], "Making .venv")
    else:
        version = "{}.{}".format(*sys.version_info[:2])
        raise Stop(
            f"This Python {version} comes without its 'venv' module: install it (Debian, Ubuntu: "
            f"`sudo apt install python{version}-venv`), or install uv, and run the command again."
        )


def install(extras: list) -> None:
    say("installing linkwright and what it needs (some minutes the first time)")
    project = "{}[{}]".format(ROOT, ",".join(extras)) if extras else str(ROOT)
    uv = shutil.which("uv")
    if uv:
        command = [uv, "pip", "install", "--quiet", "--python", PYTHON]
    else:
        if quietly([PYTHON, "-m", "pip", "--version"]).returncode:
            must([PYTHON, "-m", "ensurepip"], "Putting pip into .venv")
        command = [PYTHON, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    must([*command, "--editable", project], "Installing")


def browser() -> None:
    """Install Chromium for the browser tests where we may (Debian, as root) and it is missing; elsewhere they skip."""
    if any(shutil.which(name) for name in BROWSERS):
        return
    debian = Path("/etc/debian_version").exists() and shutil.which("apt-get")
    if not debian or getattr(os, "geteuid", lambda: 1)() != 0:
        say("no Chromium here: the browser tests are skipped (install the package 'chromium' to run them)")
        return
    say("installing Chromium for the browser tests")
    install = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", "chromium"]
    if quietly(install).returncode:
        quietly(["apt-get", "update", "-q"])
        done = quietly(install)
        if done.returncode:
            sys.stderr.write(done.stdout[-2000:])
            say("Chromium could not be installed (messages above): " + way_out(done.stdout))


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


# --- running things --------------------------------------------------------------------------------------------------


def run(command: list, folder: str = str(ROOT)) -> int:
    """Run at the repository's root unless told, talking straight to the terminal; gives the exit code."""
    return subprocess.run([str(word) for word in command], cwd=folder).returncode


def quietly(command: list) -> subprocess.CompletedProcess:
    """Run without a terminal; what it says, errors included, is in `.stdout`."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=str(ROOT),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def must(command: list, what: str) -> None:
    """Run quietly; on failure show what it said and stop with the likely way out."""
    done = quietly(command)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise Stop(f"{what} failed (its messages are above): {way_out(done.stdout)}")


def way_out(output: str) -> str:
    """The likely remedy, judged by what the failed program said."""
    text = output.lower()
    return next((remedy for signs, remedy in REMEDIES if any(sign in text for sign in signs)), LAST_RESORT)


REMEDIES = (
    (("no space left", "not enough space"), "the disk is full; free some space and run the command again."),
    (
        ("permission denied", "read-only file system"),
        "this folder cannot be written to; clone the repository where you may write.",
    ),
    (
        ("connection", "could not resolve", "failed to resolve", "name resolution", "timed out", "proxy", "sslerror"),
        "the package index could not be reached; check the network or the proxy and run the command again.",
    ),
    (
        ("no matching distribution", "could not find a version"),
        "a package was not found; check the network, and that this Python is one the package supports (3.11 to 3.14).",
    ),
)
LAST_RESORT = "if nothing above helps, delete the folder .venv and run the command again."


def announce(name: str, code: int) -> int:
    say("{}: {}".format(name, "FAILED" if code else "ok"))
    return code


def say(message: str) -> None:
    print("[dev] " + message, flush=True)


def usage() -> str:
    lines = ["usage: python3 dev.py COMMAND [arguments passed on]", ""]
    return "\n".join(lines + [f"  {name:10}{command.__doc__}" for name, command in COMMANDS.items()])


def main(words: list) -> int:
    if sys.version_info < OLDEST_PYTHON:
        raise Stop(
            "linkwright needs Python {}.{} or newer and this is {}.{}: install a newer one from python.org and "
            "start dev.py with it.".format(*OLDEST_PYTHON, *sys.version_info[:2])
        )
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if words else 2
    if words[0] not in COMMANDS:
        raise Stop("Unknown command '{}': choose one of {}.".format(words[0], ", ".join(COMMANDS)))
    return COMMANDS[words[0]](words[1:])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as fault:
        sys.exit(f"[dev] {fault}")
    except OSError as fault:
        sys.exit(f"[dev] {fault}: {way_out(str(fault))}")
    except KeyboardInterrupt:
        sys.exit("[dev] stopped")
