"""Data classes whose methods are made when they are first needed; used throughout in place of `dataclasses.dataclass`.

The standard decorator writes and compiles the source of up to six methods for every class, some 0.4 ms each in Python
3.11; for the three hundred classes that `build` and `simulate` import, most of which a process never makes an object
of, that was more than half of the import. Here comparing, hashing and refusing changes are functions made without
compiling anything, and `__init__` is compiled with the first object. With the standard decorator alone importing what
`build` and `simulate` need takes 0.68 s of CPU time instead of 0.60, with loading and building a four-bar 0.81 instead
of 0.73 (least of 14 processes in turn; medians 0.75 and 0.65, 0.89 and 0.80). Everything else is as in the standard
library: `fields`, `replace`, `asdict`, `is_dataclass` and `match` work, and type checkers see the standard decorator.

A class that inherits from another data class gets the standard decorator, but for `__repr__`: that of all data classes
is one line of at most 120 characters (`readable_text.record_text`), and one that a class inherits stays. Digests and
keys need all digits of all fields: `exact_text` gives them.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, eq: bool = True) -> Any:
        """The decorator, with the options that records of this library use; as `dataclasses.dataclass`."""

        def made(cls: type) -> type:
            return _data_class(cls, frozen, eq)

        return made if cls is None else made(cls)


def _data_class(cls: Any, frozen: bool, eq: bool) -> type:
    if any(hasattr(base, "__dataclass_fields__") for base in cls.__mro__[1:]):
        return standard(frozen=frozen, eq=eq, repr=False)(cls)
    hashed = cls.__dict__.get("__hash__", MISSING)
    hashed_by_itself = not (hashed is MISSING or (hashed is None and "__eq__" in cls.__dict__))
    text = cls.__doc__
    if text is None:
        cls.__doc__ = cls.__name__  # the standard decorator would write the signature, for which it makes `__init__`
    standard(init=False, repr=False, eq=False)(cls)  # finds the fields, compiles nothing
    cls.__doc__ = text
    known = cls.__dataclass_params__
    known.init, known.repr, known.eq, known.frozen = True, True, eq, frozen
    _add_missing_methods(cls, __init__=_Init(cls, frozen))
    if cls.__repr__ is object.__repr__:
        cls.__repr__ = record_repr
    if eq:
        compared = _values_getter([field.name for field in fields(cls) if field.compare])
        _add_missing_methods(cls, __eq__=_make_eq(compared))
        if not hashed_by_itself:
            cls.__hash__ = _make_hash(fields(cls)) if frozen else None
    if frozen:
        _freeze_fields(cls)
    return cls


def _add_missing_methods(cls: type, **methods: Any) -> None:
    """Give a class the methods that it does not define itself."""
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)


class _Init:
    """Stands for `__init__` of a class until it is first called or looked at."""

    def __init__(self, cls: type, frozen: bool) -> None:
        self.cls, self.frozen = cls, frozen

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        made = _make_init(self.cls, self.frozen)
        setattr(self.cls, "__init__", made)  # noqa: B010
        return made.__get__(instance, owner)


class _Factory:
    """Default of an argument whose value a factory gives; shown as in the standard library."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _make_init(cls: Any, frozen: bool) -> FunctionType:
    """The function that sets all fields and calls `__post_init__`: that of its kind, with the names of the class."""
    used = [field for field in fields(cls) if field.init or field.default_factory is not MISSING]
    given = [field for field in used if field.init and not field.kw_only]
    keywords = [field for field in used if field.init and field.kw_only]
    kinds = tuple((field.init, field.kw_only, field.default_factory is not MISSING) for field in used)
    names = {f"f{i}": field.name for i, field in enumerate(used)}

    def renamed(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(names.get(item, item) if isinstance(item, str) else item for item in items)

    code = _init_template(kinds, frozen, hasattr(cls, "__post_init__"))
    code = code.replace(
        co_varnames=renamed(code.co_varnames),
        co_names=renamed(code.co_names),
        co_consts=renamed(code.co_consts),
        co_qualname=f"{cls.__qualname__}.__init__",
    )
    known = {f"_factory{i}": field.default_factory for i, field in enumerate(used)}
    made = FunctionType(code, {"_FACTORY": _FACTORY, "_set": object.__setattr__, **known}, "__init__")
    made.__defaults__ = _default_values(given)
    made.__kwdefaults__ = {
        field.name: _default_of_field(field) for field in keywords if _default_of_field(field) is not MISSING
    }
    made.__module__ = cls.__module__
    made.__annotations__ = {field.name: field.type for field in used if field.init} | {"return": None}
    return made


@cache
def _init_template(kinds: tuple[tuple[bool, bool, bool], ...], frozen: bool, finished: bool) -> CodeType:
    """The code of `__init__` for fields f0, f1, ...; kinds: is an argument, by keyword only, has a factory.

    Many classes share one: compiling it takes ten times as long as giving it other names.
    """
    arguments = [f"f{i}" for i, (given, keyword, _) in enumerate(kinds) if given and not keyword]
    keywords = [f"f{i}" for i, (given, keyword, _) in enumerate(kinds) if given and keyword]
    body = []
    for i, (given, _, factory) in enumerate(kinds):
        value = f"f{i}" if given else f"_factory{i}()"
        if given and factory:
            value = f"_factory{i}() if f{i} is _FACTORY else f{i}"
        body.append(f"_set(self, 'f{i}', {value})" if frozen else f"self.f{i} = {value}")
    body += ["self.__post_init__()"] if finished else []
    signature = ", ".join(["self", *arguments, *(["*", *keywords] if keywords else [])])
    made: dict[str, Any] = {}
    exec(f"def __init__({signature}):\n " + ("\n ".join(body) or "pass"), made)
    code = made["__init__"].__code__
    assert isinstance(code, CodeType)
    return code


def _default_of_field(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else _FACTORY


def _default_values(given: list[Field[Any]]) -> tuple[Any, ...]:
    """Defaults of the last arguments."""
    defaults = [_default_of_field(field) for field in given]
    found = tuple(default for default in defaults if default is not MISSING)
    for field, default in zip(given[len(given) - len(found) :], defaults[len(given) - len(found) :]):
        if default is MISSING:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")
    return found


_exact: ContextVar[bool] = ContextVar("exact", default=False)


def is_exact() -> bool:
    """Return True inside `exact_text`."""
    return _exact.get()


def exact_text(x: Any) -> str:
    """A value with all fields and digits of the records in it, for digests and keys; `repr` is short, for people."""
    before = _exact.set(True)
    try:
        return repr(x)
    finally:
        _exact.reset(before)


@recursive_repr()
def record_repr(self: Any) -> str:
    """The `__repr__` of records: short, for people; inside `exact_text` everything."""
    kind: Any = type(self)
    if not (_exact.get() and hasattr(kind, "__dataclass_fields__")):
        from linkwright.readable_text import object_text

        return object_text(self)
    form, values = _repr_form(kind)
    return form % values(self)


@cache
def _repr_form(cls: Any) -> tuple[str, Callable[[Any], tuple[Any, ...]]]:
    """The text of an object with %r for the values, and the function that reads them."""
    names = [field.name for field in fields(cls) if field.repr]
    return f"{cls.__qualname__}({', '.join(f'{name}=%r' for name in names)})", _values_getter(names)


def _values_getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that returns the named attributes of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda record: (getattr(record, names[0]),)) if names else (lambda record: ())


def _make_eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _make_hash(all_fields: tuple[Field[Any], ...]) -> Callable[[Any], int]:
    values = _values_getter([f.name for f in all_fields if (f.compare if f.hash is None else f.hash)])

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _freeze_fields(cls: Any) -> None:
    """Refuse changes of fields, and of anything else in objects of the class itself."""
    names = frozenset(field.name for field in fields(cls))

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    for name, method in (("__setattr__", __setattr__), ("__delattr__", __delattr__)):
        if name in cls.__dict__:
            raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}")
        setattr(cls, name, method)
