"""Arrays on their way to a page: nothing lost that can be seen."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from linkwright.generated_text import script_json
from linkwright.results.thinning import even_indices, peaks_kept
from linkwright.viewer.shown_motion import pack_array, unpack_array


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=5)))
def test_packing_and_unpacking_gives_the_same_numbers(values):
    again = unpack_array(json.loads(json.dumps(pack_array(values, "f8"))))
    np.testing.assert_array_equal(again, values)


@given(st.integers(1, 5000), st.integers(2, 300))
def test_thinned_indices_rise_from_the_first_to_the_last(count, most):
    kept = even_indices(count, most)
    assert kept[0] == 0 and kept[-1] == count - 1 and len(kept) <= most
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize("columns", [1, 6])
def test_no_spike_is_thinned_away(columns):
    rng = np.random.default_rng(columns)
    values = rng.normal(size=(200_000, columns))
    spikes = rng.choice(200_000, size=columns, replace=False)
    values[spikes, np.arange(columns)] = 100.0
    values[spikes + 7, np.arange(columns)] = -100.0
    values[rng.choice(200_000, 50), 0] = np.nan
    kept = peaks_kept(values, 4000)
    assert len(kept) <= 4000 + 2
    np.testing.assert_array_equal(np.nanmax(values[kept], axis=0), np.nanmax(values, axis=0))
    np.testing.assert_array_equal(np.nanmin(values[kept], axis=0), np.nanmin(values, axis=0))


HOSTILE = ["<script>alert(1)</script>", "]]>", "<!--", "&lt;", "\u2028\u2029", "\"\\'", "\ud800", "a\0b"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_can_leave_its_script_element(text):
    written = script_json({text: [text]})
    assert not set("<>&") & set(written) and written.isascii()
    assert json.loads(written) == {text: [text]}
