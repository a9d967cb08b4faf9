"""Compiled code in the place of methods keeps their text, signature and results, and leaves subclasses alone."""

import inspect
import pickle
import pydoc
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.codegen.python_api import METHOD
from linkwright.model.fast_calls import FAST_METHODS

CALLS = 30


def built(name="four-bar", **options):
    return lw.build(lw.catalog.load(name), **options)


def state(model):
    rng = np.random.default_rng(1)
    q = model.assemble().q
    v, a = (model.independent_map(q) @ rng.normal(size=len(model.independent)) for _ in range(2))
    return {"q": q, "v": v, "a": a, "tau": rng.normal(size=model.na)}


def arguments(model, name):
    known = state(model)
    given = inspect.signature(getattr(lw.Model, name)).parameters
    return [known[each] for each in given if each in known]


def parameters(function):
    given = inspect.signature(function).parameters.values()
    return [each.replace(annotation=inspect.Parameter.empty) for each in given]


def often(model, name, given):
    for _ in range(CALLS):
        found = getattr(model, name)(*given)
    return found


def same(one, other):
    one, other = (x if isinstance(x, tuple) else (x,) for x in (one, other))
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize("inputs", [(), ("bodies.crank.mass",)], ids=["numbers", "inputs"])
@pytest.mark.parametrize("name", FAST_METHODS)
def test_text_signature_and_results_stay_after_many_calls(name, inputs):
    model = built(inputs=list(inputs))
    given, early = arguments(model, name), getattr(model, name)
    method = getattr(lw.Model, name)
    before = early(*given)
    expected = [
        each.replace(annotation=inspect.Parameter.empty) for each in inspect.signature(method).parameters.values()
    ]
    for function in (early, getattr(model, name), often(model, name, given) is None or getattr(model, name)):
        found = inspect.signature(function).parameters.values()
        assert [each.replace(annotation=inspect.Parameter.empty) for each in found] == expected[1:]
        assert inspect.cleandoc(function.__doc__) == inspect.cleandoc(method.__doc__) and function.__name__ == name
        assert same(function(*given), before)
        batch = function(*(np.stack([x, x]) for x in given))
        assert same(tuple(x[1] for x in batch) if isinstance(batch, tuple) else batch[1], before)
    if not inputs:
        assert method.__doc__.splitlines()[0] in pydoc.plain(pydoc.render_doc(getattr(model, name)))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_a_method_taken_before_the_first_call_becomes_the_compiled_code(name):
    model = built()
    early, given = getattr(model, name), arguments(model, name)
    record = model._early_calls[name]._record
    before = int(record[METHOD])
    often(model, name, given)
    assert type(early) is type(len) and record[METHOD] != before
    general = model.fast_calls[name].__self__.__self__[0]
    assert record[METHOD] == general.code.call()


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_a_method_of_a_model_with_inputs_taken_early_goes_to_its_code_at_once(name):
    model = built(inputs=["bodies.crank.mass"])
    early, given = getattr(model, name), arguments(model, name)
    often(model, name, given)
    assert model._early_calls[name].general is model.fast_calls[name]
    assert same(early(*given), getattr(model, name)(*given))
    heavier = [2.0 * model.parameters.values[0]]
    assert same(early(*given, p=heavier), getattr(model.with_parameters(heavier), name)(*given))


class Counting(lw.Model):
    """A model that counts calls, as somebody may write one."""

    calls = 0

    def forward_dynamics(self, *given, **named):
        self.calls += 1
        return -super().forward_dynamics(*given, **named)


def counting(**options):
    arguments = built(**options)._arguments
    return Counting(*arguments)


def test_an_overridden_method_is_called_however_often():
    model, plain = counting(), built()
    given = arguments(plain, "forward_dynamics")
    assert same(often(model, "forward_dynamics", given), -often(plain, "forward_dynamics", given))
    assert model.calls == CALLS and "forward_dynamics" in model.fast_calls
    assert "forward_dynamics" not in model.__dict__ and "inverse_dynamics" in model.__dict__


def test_a_subclass_stays_one_at_other_values_and_in_a_pickle():
    model = counting(inputs=["bodies.crank.mass"])
    model.note = "mine"
    given = arguments(model, "forward_dynamics")
    for other in (model.with_parameters([2.0]), pickle.loads(pickle.dumps(model))):
        assert type(other) is Counting and other.note == "mine"
        before = other.calls
        often(other, "forward_dynamics", given)
        assert other.calls == before + CALLS
    again = pickle.loads(pickle.dumps(model.with_parameters([2.0])))
    assert again.parameters.values.tolist() == [2.0] and type(again) is Counting


def test_threads_may_call_while_the_code_takes_over():
    model, reference = built("five-bar"), built("five-bar")
    early, given = model.inverse_dynamics, arguments(reference, "inverse_dynamics")
    expected, wrong = reference.inverse_dynamics(*given).tobytes(), []

    def call():
        wrong.extend(x for x in (early(*given) for _ in range(300)) if x.tobytes() != expected)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_a_pickled_model_has_its_calls():
    model = built()
    given = arguments(model, "inverse_dynamics")
    expected = often(model, "inverse_dynamics", given)
    copy = pickle.loads(pickle.dumps(model))
    assert same(often(copy, "inverse_dynamics", given), expected)
