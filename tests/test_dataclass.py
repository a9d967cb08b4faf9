"""Data classes made by the library's decorator behave as those of the standard library."""

import copy
import dataclasses
import inspect
import pickle
import re
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from linkwright.dataclass import dataclass, exact_text

made_by = pytest.mark.parametrize("decorate", [dataclass, dataclasses.dataclass], ids=["late", "standard"])


@dataclass(frozen=True)
class Point:
    """A point."""

    x: float
    y: float = 0.0
    names: tuple[str, ...] = field(default=(), hash=False)
    unseen: Any = field(default=None, repr=False, compare=False)
    KIND: ClassVar[str] = "point"

    @property
    def double(self) -> float:
        return 2 * self.x


def classes(decorate: Any) -> dict[str, Any]:
    """The same classes by either decorator."""

    class Plain:
        """Text."""

        a: int
        b: list[int] = field(default_factory=list)
        c: int = field(default=3, kw_only=True)
        d: int = field(init=False, default=4)
        e: dict[str, int] = field(init=False, default_factory=dict)

    class Checked:
        """Text."""

        a: float

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("negative")

    class OneField:
        """Text."""

        a: tuple[int, ...] = ()

    class NoField:
        """Text."""

    class OwnHash:
        """Text."""

        a: int

        def __hash__(self) -> int:
            return 7

    class OwnEquality:
        """Text."""

        a: int

        def __eq__(self, other: object) -> bool:
            return True

    class OwnRepr:
        """Text."""

        a: int

        def __repr__(self) -> str:
            return "mine"

    found = {}
    for kind in (Plain, Checked, OneField, NoField, OwnHash, OwnEquality, OwnRepr):
        for frozen in (False, True):
            for eq in (False, True):
                here = type(kind.__name__, (), {k: v for k, v in vars(kind).items() if k not in _OF_CLASSES})
                here.__qualname__ = kind.__name__
                found[f"{kind.__name__} frozen={frozen} eq={eq}"] = decorate(frozen=frozen, eq=eq)(here)
    return found


_OF_CLASSES = ("__dict__", "__weakref__")
PAIRS = list(zip(classes(dataclass).items(), classes(dataclasses.dataclass).values()))


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error), str(error).replace("classes.<locals>.", "")


@pytest.mark.parametrize("named, standard", PAIRS, ids=[named[0] for named, _ in PAIRS])
def test_classes_behave_as_the_standard_ones(named: Any, standard: Any) -> None:
    late = named[1]
    arguments = [(), (1,), (1, [2]), (1, [2], 3), (-1.0,)]
    for arguments_of_one in arguments:
        ours, theirs = (outcome(lambda c=c, a=arguments_of_one: c(*a)) for c in (late, standard))
        if isinstance(theirs, tuple):
            assert ours == theirs
            continue
        for look in (
            exact_text,
            lambda x: x == x,
            lambda x, a=arguments_of_one: x == type(x)(*a),
            lambda x: x == 1,
            lambda x: asdict(x),
            lambda x: exact_text(replace(x)),
            lambda x: exact_text(copy.deepcopy(x)),
            lambda x: setattr(x, "a", 5),
            lambda x: delattr(x, "a"),
            lambda x: setattr(x, "other", 5),
            lambda x: vars(x),
        ):
            assert outcome(lambda x=ours, look=look: look(x)) == outcome(lambda x=theirs, look=look: look(x))
        if theirs.__class__.__hash__ is not object.__hash__:  # by value, or none at all
            assert outcome(lambda x=ours: hash(x)) == outcome(lambda x=theirs: hash(x))
        else:
            assert type(ours).__hash__ is object.__hash__
    assert str(inspect.signature(late)) == str(inspect.signature(standard))
    assert late.__match_args__ == standard.__match_args__
    assert [f.name for f in fields(late)] == [f.name for f in fields(standard)]
    assert late.__dataclass_params__.frozen == standard.__dataclass_params__.frozen
    assert late.__doc__ == standard.__doc__


def test_constructor_is_compiled_with_the_first_object() -> None:
    @dataclass(frozen=True)
    class Late:
        """Text."""

        a: int

    assert not inspect.isfunction(vars(Late)["__init__"])
    assert Late(1) == Late(a=1) and inspect.isfunction(vars(Late)["__init__"])


def test_records_are_pickled_matched_and_frozen() -> None:
    point = Point(1.0, names=("a",), unseen=3)
    assert pickle.loads(pickle.dumps(point)) == point and point.double == 2.0
    assert hash(point) == hash(Point(1.0, names=("b",))) and point != Point(1.0, names=("b",))
    assert exact_text(point) == "Point(x=1.0, y=0.0, names=('a',))"
    assert repr(point) == "Point(x=1.0, names=('a',))"
    match point:
        case Point(x, y):
            assert (x, y) == (1.0, 0.0)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2.0  # type: ignore[misc]


@made_by
def test_data_classes_derive_from_late_ones(decorate: Any) -> None:
    class Derived(Point):
        """Text."""

        z: float = 5.0

    kind: Any = decorate(frozen=True)(Derived)
    assert kind(1.0).z == 5.0 and kind(1.0, 2.0, (), None, 3.0) == replace(kind(1.0, 2.0), z=3.0)
    with pytest.raises(FrozenInstanceError):
        kind(1.0).z = 2.0
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        decorate(type("Changed", (Point,), {"__annotations__": {"w": float}}))


def test_class_below_a_frozen_one_has_attributes_of_its_own() -> None:
    class Below(Point):
        pass

    below: Any = Below(1.0)
    below.own = 3
    assert below.own == 3
    del below.own
    with pytest.raises(FrozenInstanceError):
        below.x = 2.0


def test_options_of_the_standard_decorator_are_not_taken_in_silence() -> None:
    with pytest.raises(TypeError, match="slots"):
        dataclass(slots=True)(type("Slotted", (), {}))


def test_records_of_the_library_use_the_late_decorator() -> None:
    source = Path(inspect.getfile(dataclass)).parent
    users = [path for path in source.rglob("*.py") if path.name != "dataclass.py"]
    found = [
        path.name
        for path in users
        if re.search(r"^from dataclasses import .*\bdataclass\b", path.read_text(encoding="utf-8"), re.M)
    ]
    assert not found, "these import the standard decorator; import it from linkwright.dataclass"
