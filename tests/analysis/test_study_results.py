"""Every study of the library has the same shape: data with stable names, print, file, figure, page, table."""

import inspect
import json
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.analysis import StudyResult
from tests import study_laws

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "study.schema.json"


@pytest.fixture(scope="module")
def examples():
    return dict(study_laws.study_examples())


def test_each_is_saved_opened_printed_drawn_and_reported(examples, tmp_path):
    for name, found in examples.items():
        folder = tmp_path / name
        folder.mkdir()
        study_laws.require_study(found, folder)


def test_every_function_returns_a_study_of_these(examples):
    kinds = {type(x).__name__ for x in examples.values()}
    returned = {name: x.__annotations__["return"] for name, x in study_laws.functions_of_studies().items()}
    assert set(returned.values()) <= kinds and set(returned) <= set(examples) and len(returned) > 18


def test_every_public_record_of_a_study_is_among_them(examples):
    kinds = {name: getattr(lw.types, name) for name in lw.types.__all__}
    public = {name for name, x in kinds.items() if inspect.isclass(x) and issubclass(x, StudyResult)}
    assert public - {type(x).__name__ for x in examples.values()} == {"SavedStudy"}


def test_studies_of_states_and_designs_carry_their_mechanism(examples):
    """Those without are about the equations of a mechanism, and not about where it is or how large."""
    kinds = {type(x).__name__ for x in examples.values() if x.studied is None}
    equations = {"BaseParameters", "Agreement", "SelfTest", "SpringAdvice", "StiffnessStudy"}
    assert kinds == equations | {"SpeedStudy"}


def test_the_published_schema_is_that_of_the_code():
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == lw.analysis.data_schema()


def test_names_of_data_are_those_of_the_page(examples):
    """`python -m tests.study_laws` writes the page and the schema."""
    page = (SCHEMA.parent / "study-data.md").read_text(encoding="utf-8")
    assert page == study_laws.page_of_names(iter(examples.items()))
