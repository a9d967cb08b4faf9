"""A sample of `python -m tests.formats.fuzz 20000`."""

from tests.formats.fuzz import fuzz


def test_mutated_files_are_read_or_refused_in_words():
    assert 0 < fuzz(500, seed=7) < 500
