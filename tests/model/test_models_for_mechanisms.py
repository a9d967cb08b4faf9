"""Functions that take a mechanism refuse a model and name its mechanism."""

import pytest

import linkwright as lw
from tests.model.models import model


@pytest.mark.parametrize("name", ["build", "check", "explain", "save"])
def test_a_model_in_place_of_a_mechanism_is_refused_with_the_way_out(name, tmp_path):
    function = {"explain": lw.analysis.explain, "save": lambda m: lw.save(m, tmp_path / "a.yaml")}.get(name)
    call = function or getattr(lw, name)
    with pytest.raises(lw.errors.ArgumentError, match=f"{name} takes a Mechanism, found Model; .*model.mechanism"):
        call(model("four-bar"))
    with pytest.raises(lw.errors.ArgumentError, match=f"{name} takes a Mechanism, found str; .*linkwright.load"):
        call("four-bar.yaml")
