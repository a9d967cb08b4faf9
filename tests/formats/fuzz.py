"""Valid files mutated at random: every one is read or refused cleanly. `python -m tests.formats.fuzz 20000 [seed]`"""

import random
import resource
import signal
import sys
import time
from contextlib import suppress
from importlib.resources import files

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.formats import from_urdf, from_yaml, to_yaml
from tests.formats.test_urdf_loops import FOUR_BAR
from tests.formats.test_yaml_parameters import ONCE

LONGEST = 2.0  # s for one file
LARGEST = 500 * 2**10  # kB of memory in all
TEXT = (
    "{} [] & * ! | > - : # ' \" , % @ ` ~ null true .nan .inf -.inf 1e999 1e-999 0x10 1_000 -0 +1 9999999999999999999 "
    "mm kg deg N/m = = =1/0 {i} {{ }} << *a &a !!python/object 1..3 9..1 repeat parameters for format comment bodies "
    "joints loops home frames platform ground type parent child at axis limits inertia mass revolute spherical ball "
    "\t \u2028 \ufeff \x00 é 名 <b> &lt; <!ENTITY ]]> <loop <coupling origin xyz 0 1 -1 1e308"
)
WORDS = TEXT.split(" ")


def sources():
    """Texts to start from, with their reader."""
    data = files("linkwright.catalog").joinpath("data")
    yamls = [data.joinpath(f"{name}.yaml").read_text(encoding="utf-8") for name in lw.catalog.names()]
    yamls += [ONCE, to_yaml(lw.catalog.load("delta"))]
    return [(text, from_yaml) for text in yamls] + [(FOUR_BAR, from_urdf)] * 4


def mutated(text, rng):
    """The text after one to three random edits: characters, words, lines, numbers, parts moved, cut or repeated."""
    for _ in range(rng.randint(1, 3)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        near = min(j, i + rng.randint(1, 30))
        match rng.randrange(8):
            case 0:
                text = text[:i] + text[near:]
            case 1:
                text = text[:i] + rng.choice(WORDS) + text[i:]
            case 2:
                text = text[:i] + rng.choice(WORDS) + text[near:]
            case 3:
                text = text[:i] + text[i:near] * rng.randint(2, 40) + text[near:]
            case 4:
                lines = text.split("\n")
                a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[a], lines[b] = lines[b], lines[a]
                text = "\n".join(lines)
            case 5:
                text = text[:i] + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x2500)))) + text[i + 1 :]
            case 6:
                lines = text.split("\n")
                a = rng.randrange(len(lines))
                lines[a] = " " * rng.randint(1, 6) + lines[a]
                text = "\n".join(lines)
            case _:
                text = text[:i] + text[j:] if rng.random() < 0.1 else text + rng.choice(WORDS)
    return text


def tried(text, read):
    """Return True if a text was read; any error but a message for the user is raised."""
    try:
        read(text, "fuzz")
    except LinkwrightError as error:
        message = str(error)
        assert message and "Traceback" not in message, text
        return False
    return True


def fuzz(count, seed):
    """Number of `count` mutated files that were still read."""
    rng, starts = random.Random(seed), sources()
    return sum(tried(mutated(text, rng), read) for text, read in (rng.choice(starts) for _ in range(count)))


def _stop(*_):
    raise TimeoutError(f"a file took longer than {LONGEST:g} s")


def main(count, seed=0):
    signal.signal(signal.SIGALRM, _stop)
    rng, starts, worst, good = random.Random(seed), sources(), 0.0, 0
    for k in range(count):
        text, read = rng.choice(starts)
        text = mutated(text, rng)
        began = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, 10 * LONGEST)
        good += tried(text, read)
        signal.setitimer(signal.ITIMER_REAL, 0)
        worst = max(worst, time.process_time() - began)
        if worst > LONGEST:
            _stop()
        if sys.stderr.isatty() and k % 200 == 0:
            print(f"\r{k} of {count}", end="", file=sys.stderr)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{count} files, seed {seed}: {good} read, {count - good} refused; longest {worst:.2f} s of CPU, "
        f"{memory / 1024:.0f} MB"
    )
    return int(memory > LARGEST)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main(*map(int, sys.argv[1:])))
