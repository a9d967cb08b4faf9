"""Models are immutable to their users, safe between threads, and travel between processes."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from tests.model.models import model


@pytest.mark.parametrize("name", ["stanford-arm", "four-bar"])
def test_a_pickled_model_gives_the_same_bits(name):
    m = model(name)
    again = pickle.loads(pickle.dumps(m))
    q, v, tau = m.assemble().q, np.zeros(m.nv), np.ones(m.na)
    assert np.array_equal(m.forward_dynamics(q, v, tau), again.forward_dynamics(q, v, tau))


def test_a_pickled_model_travels_to_another_process(tmp_path):
    m = model("four-bar")
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(m))
    q = m.assemble().q.tolist()
    code = (
        "import pickle, sys; m = pickle.load(open(sys.argv[1], 'rb')); "
        f"print(m.forward_dynamics({q}, [0.0] * 3, [6.0]).tolist())"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True).stdout
    assert out.strip() == str(m.forward_dynamics(q, [0.0] * 3, [6.0]).tolist())


@pytest.mark.parametrize("name", ["stanford-arm", "four-bar"])
def test_many_threads_compile_and_call_one_model(name):
    m = lw.build(lw.catalog.load(name))
    q, v, tau = m.assemble().q, np.zeros(m.nv), np.ones(m.na)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: m.forward_dynamics(q, v, tau).tobytes(), range(64)))
    assert len(set(answers)) == 1
