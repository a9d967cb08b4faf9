"""Records: fields with names that Python reads and writes as attributes, and machine code at fixed offsets.

    class Step(Record):
        t: Row
        number: IntRow

    class Driver(Record):
        budget: int
        step: Step
        y: Rows

A field is a number (`float`, `int`), one number per lane (`Row`, `IntRow`), an array of numbers or of rows (`Floats`,
`Ints`, `Rows`), a compiled function (`FunctionPointer`), another record, or a list of records without rows
(`Many[Run]`).

Records lie in words of 64 bits in the order of their fields: a row takes one word per lane, a record the words of its
fields; arrays and lists take one word, their address, functions two, theirs and that of the numbers given to every
call. The arrays named in `sizes` lie behind the record in
the same memory, so that one copy of that memory copies a record with everything that belongs to it. Under Python the
same memory is read and written.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from linkwright.errors import CompilerError

Row = float
"""One number per lane; with one lane a number."""

IntRow = int
"""One whole number per lane, read and written through `lane_view`."""

Many = Sequence
"""A list of records, made with `Records`."""

_LINE = 8
_POINTERS = ("Floats", "Ints", "Rows", "Many")
_KINDS = ("float", "int", "Row", "IntRow", "Floats", "Ints", "Rows", "FunctionPointer")


class FunctionPointer(NamedTuple):
    """Address of a compiled function, and the same function for Python; it takes arrays and returns an int.

    A single run hands `given`, numbers that are the same in every call, to the function behind its other arguments.
    """

    address: int
    function: Callable[..., Any]
    given: np.ndarray | None = None

    def __call__(self, *arrays: Any) -> int:
        more = () if self.given is None else (self.given,)
        return int(self.function(*(x.flat if isinstance(x, Rows) else x for x in arrays), *more))


class Rows:
    """An array of rows under Python: `x[i]` is a row (with one lane a number), `x[i:]` the rest, `x[i, k]` a number."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def flat(self) -> np.ndarray:
        return self.array.reshape(-1)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Rows(self.array[key])
        if isinstance(key, tuple):
            return float(self.array[key])
        return float(self.array[key, 0]) if self.array.shape[1] == 1 else self.array[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[key] = value


class Field(NamedTuple):
    """Kind of a field: one of the kinds, or `record` or `Many` with the class of the record."""

    kind: str
    record: type[Record] | None = None


class Contents(NamedTuple):
    """What a record and the arrays behind it held: their words, and by word what lies elsewhere."""

    words: np.ndarray
    elsewhere: dict[int, Any]


class RecordImage(NamedTuple):
    """A record as bytes for a place in other memory, and by path the addresses of its numbers and arrays there."""

    content: bytes
    addresses: dict[str, int]


class _Memory:
    """Words of a record and of the arrays behind it; by word, arrays and functions that lie elsewhere."""

    def __init__(self, words: np.ndarray) -> None:
        self.ints = words
        self.floats = words.view(np.float64)
        self.base = _first_number_address(words)
        self.behind: dict[int, slice] = {}
        self.pointers = np.zeros(0, dtype=np.int64)
        self.elsewhere: dict[int, Any] = {}


class Record:
    """Base class of records; see the module."""

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        names = vars(sys.modules[cls.__module__])
        cls.fields = {name: _parse_field(cls, name, str(text), names) for name, text in cls.__annotations__.items()}
        for name, field in cls.fields.items():
            setattr(cls, name, _ACCESS.get(field.kind, _Address)(name, field))

    def __init__(self, lanes: int = 1, sizes: Mapping[str, int] | None = None) -> None:
        words = record_layout(type(self), lanes)[1]
        behind = {}
        for path, n in (sizes or {}).items():
            word, field = _find_field(type(self), lanes, path)
            start = words + -words % _LINE
            words = start + n * (lanes if field.kind == "Rows" else 1)
            behind[word] = slice(start, words)
        self._bind(_Memory(_aligned_words(words)), 0, lanes)
        memory = self._memory
        memory.behind, memory.pointers = behind, np.array([*behind], dtype=np.int64)
        memory.ints[memory.pointers] = [memory.base + 8 * part.start for part in behind.values()]

    def _bind(self, memory: _Memory, start: int, lanes: int, lane: int | None = None) -> None:
        self._memory, self._start, self.lanes = memory, start, lanes
        self._lane = 0 if lanes == 1 else lane
        self._offsets = record_layout(type(self), lanes)[0]
        self._inner: dict[str, Any] = {}

    def view_at(self, start: int, record: type[Any], lanes: int, lane: int | None = None) -> Any:
        """A record in the same memory."""
        view = object.__new__(record)
        view._bind(self._memory, start, lanes, lane)
        return view

    @property
    def address(self) -> int:
        """Address of the record; the caller keeps the record alive."""
        return self._memory.base + 8 * self._start

    def copy(self) -> Self:
        """The record and the arrays behind it once more; what lies elsewhere is shared."""
        old = self._memory
        memory = _Memory(_aligned_words(len(old.ints), np.empty))
        memory.ints[:] = old.ints
        memory.behind, memory.pointers, memory.elsewhere = old.behind, old.pointers, dict(old.elsewhere)
        memory.ints[memory.pointers] += memory.base - old.base
        twin = object.__new__(type(self))
        twin._bind(memory, self._start, self.lanes, self._lane)
        return twin

    def contents(self) -> Contents:
        """Everything that the record and the arrays behind it hold now, to `restore` it later."""
        return Contents(self._memory.ints.copy(), dict(self._memory.elsewhere))

    def restore(self, contents: Contents) -> None:
        """Make the record hold again what it held."""
        self._memory.ints[:] = contents.words
        self._memory.elsewhere = dict(contents.elsewhere)

    def numbers(self, without: Sequence[str] = ()) -> bytes:
        """All numbers of the record and of the arrays behind it, but no addresses; arrays may be left out by path."""
        return self._memory.ints[self._number_words(without)].tobytes()

    def set_numbers(self, numbers: bytes, without: Sequence[str] = ()) -> None:
        """Write numbers of another record of the same form, in this or another process, into this one."""
        indices = self._number_words(without)
        if len(numbers) != 8 * len(indices):
            raise CompilerError(f"{len(numbers)} bytes do not fit a record of {len(indices)} numbers")
        self._memory.ints[indices] = np.frombuffer(numbers, dtype=np.int64)

    def image(self, base: int, functions: Mapping[str, tuple[int, int]]) -> RecordImage:
        """The record, the arrays behind it and those it points to, as WebAssembly finds them from an address on.

        A pointer of 32 bits is the low half of its word. Functions are entries of a table, of which entry 0 is empty.

        Args:
            base: where the record will lie.
            functions: by path its entry and the address of the numbers given to every call, or 0; others are absent.
        """
        memory, fields = self._memory, dict(_list_fields(type(self), self.lanes, self._start))
        unknown = functions.keys() - {path for path, field in fields.values() if field.kind == "FunctionPointer"}
        if unknown:
            raise CompilerError(f"{type(self).__name__} has no functions {sorted(unknown)}")
        words = memory.ints.copy()
        parts, end = [words], base + 8 * len(words)
        placed = {word: base + 8 * part.start for word, part in memory.behind.items()}
        arrays: dict[int, int] = {}
        for word, value in memory.elsewhere.items():
            path, field = fields[word]
            if value is None or field.kind == "FunctionPointer":
                continue
            if field.kind == "Many":
                raise CompilerError(f"'{path}' of {type(self).__name__} lists records, which an image leaves out")
            if value.ctypes.data not in arrays:
                arrays[value.ctypes.data], end = end, end + 8 * value.size
                parts.append(np.ascontiguousarray(value).view(np.int64).ravel())
            placed[word] = arrays[value.ctypes.data]
        for word, (path, field) in fields.items():
            if field.kind == "FunctionPointer":
                words[word : word + 2] = functions.get(path, (0, 0))
            elif field.kind in _POINTERS:
                words[word] = placed.get(word, 0)
        addresses = {path: placed.get(word, base + 8 * word) for word, (path, _) in fields.items()}
        return RecordImage(b"".join(part.astype("<i8").tobytes() for part in parts), addresses)

    def _number_words(self, without: Sequence[str]) -> np.ndarray:
        """Words that hold numbers."""
        left_out = {_find_field(type(self), self.lanes, path)[0] for path in without}
        words = list(_count_number_words(type(self), self.lanes, 0))
        for word, part in self._memory.behind.items():
            words += [] if word in left_out else range(part.start, part.stop)
        return np.array(words, dtype=np.int64)


class _Access:
    """A field as an attribute."""

    def __init__(self, name: str, field: Field) -> None:
        self.name, self.kind, self.inner = name, field.kind, field.record
        self.numbers = "ints" if field.kind in ("int", "IntRow", "Ints") else "floats"


class _Number(_Access):
    def __get__(self, record: Any, owner: Any = None) -> Any:
        return getattr(record._memory, self.numbers).item(record._start + record._offsets[self.name])

    def __set__(self, record: Any, value: Any) -> None:
        getattr(record._memory, self.numbers)[record._start + record._offsets[self.name]] = value


class _Row(_Access):
    def __get__(self, record: Any, owner: Any = None) -> Any:
        numbers, word = getattr(record._memory, self.numbers), record._start + record._offsets[self.name]
        if record._lane is None:
            return numbers[word : word + record.lanes].copy()
        return numbers.item(word + record._lane)

    def __set__(self, record: Any, value: Any) -> None:
        numbers, word = getattr(record._memory, self.numbers), record._start + record._offsets[self.name]
        if record._lane is None:
            numbers[word : word + record.lanes] = value
        else:
            numbers[word + record._lane] = value


class _Inner(_Access):
    def __get__(self, record: Any, owner: Any = None) -> Any:
        if self.name not in record._inner:
            start = record._start + record._offsets[self.name]
            record._inner[self.name] = record.view_at(start, self.inner, record.lanes)
        return record._inner[self.name]

    def __set__(self, record: Any, value: Any) -> None:
        raise CompilerError(f"'{self.name}' of {type(record).__name__} is part of the record; write into it instead")


class _Address(_Access):
    def __get__(self, record: Any, owner: Any = None) -> Any:
        memory, word = record._memory, record._start + record._offsets[self.name]
        found = memory.elsewhere.get(word)
        if word in memory.behind:
            found = getattr(memory, self.numbers)[memory.behind[word]]
        return Rows(found.reshape(-1, record.lanes)) if self.kind == "Rows" and found is not None else found

    def __set__(self, record: Any, value: Any) -> None:
        memory, word = record._memory, record._start + record._offsets[self.name]
        if word in memory.behind:
            raise CompilerError(
                f"'{self.name}' of {type(record).__name__} is part of the record; write into it instead"
            )
        memory.elsewhere[word] = value = value.flat if isinstance(value, Rows) else value
        memory.ints[word] = _field_address(self.name, self.kind, value)
        if self.kind == "FunctionPointer":
            memory.ints[word + 1] = 0 if value is None or value.given is None else _first_number_address(value.given)


_ACCESS = {"float": _Number, "int": _Number, "Row": _Row, "IntRow": _Row, "record": _Inner}


def _field_address(name: str, kind: str, value: Any) -> int:
    if kind in ("FunctionPointer", "Many"):
        return 0 if value is None else int(value.address)
    whole = kind == "Ints"
    right = isinstance(value, np.ndarray) and value.dtype.char in ("lq" if whole else "d")
    if not right or not value.flags.c_contiguous:
        wanted = "int64" if whole else "float64"
        raise CompilerError(f"'{name}' is {type(value).__name__}, expected a contiguous array of {wanted}")
    return _first_number_address(value)


def _first_number_address(x: np.ndarray) -> int:
    """Address of an array's first number; the quick way does not work for empty or read-only arrays."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(x.data))
    except (TypeError, ValueError):
        return int(x.__array_interface__["data"][0])


def _aligned_words(n: int, made: Callable[..., np.ndarray] = np.zeros) -> np.ndarray:
    """Words that begin on a cache line."""
    memory = made(n + _LINE, dtype=np.int64)
    skip = -(_first_number_address(memory) // 8) % _LINE
    return memory[skip : skip + n]


FixedFields = tuple[tuple[type[Record], str, int], ...]
"""Fields of records that hold one whole number in every call, with it: loops of so many turns are unrolled."""


R = TypeVar("R", bound=Record)


class Records(Sequence[R]):
    """Records one behind the other."""

    def __init__(self, record: type[R], n: int) -> None:
        self.record, self.size = record, record_layout(record, 1)[1]
        self._words = _aligned_words(n * self.size).reshape(n, self.size)
        self._whole = object.__new__(record)
        self._whole._bind(_Memory(self._words.reshape(-1)), 0, 1)
        self.address = self._whole.address

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, i: Any) -> Any:
        return self._whole.view_at(range(len(self))[i] * self.size, self.record, 1)

    def column(self, name: str) -> np.ndarray:
        """One field of all records, (n,); writing into it writes the records."""
        numbers = self._words if self.record.fields[name].kind in ("int", "IntRow") else self._words.view(np.float64)
        return numbers[:, record_layout(self.record, 1)[0][name]]


def lane_view(record: R, k: int) -> R:
    """A record of rows as lane k sees it: its rows are numbers."""
    return record if record.lanes == 1 else record.view_at(record._start, type(record), record.lanes, k)


def choose_by_lane(c: Any, a: Any, b: Any) -> Any:
    """`a` in the lanes where `c` is true, else `b`."""
    if isinstance(c, bool | np.bool_):
        return a if c else b
    return np.where(c, a, b)


def square_roots(x: Any) -> Any:
    """Square roots, lane by lane; NaN of negative numbers."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


def is_any_lane_true(c: Any) -> bool:
    """Return True if `c` is true in any lane."""
    return bool(np.any(c))


def fill_lanes(x: Any) -> Any:
    """A number in every lane; what begins a variable that will hold rows."""
    return x


def has_function(code: Any) -> bool:
    """Return True if a field for a function holds one."""
    return code is not None


def record_layout(record: type[Record], lanes: int) -> tuple[dict[str, int], int]:
    """Offsets of the fields, in words, and the words of the whole record."""
    if (record, lanes) not in _LAYOUTS:
        offsets, words = {}, 0
        for name, field in record.fields.items():
            offsets[name] = words
            words += lanes if field.kind in ("Row", "IntRow") else _words_inside(field, lanes)
        _LAYOUTS[record, lanes] = offsets, words
    return _LAYOUTS[record, lanes]


def _count_number_words(record: type[Record], lanes: int, start: int) -> Iterator[int]:
    """Words of a record that hold numbers."""
    for name, offset in record_layout(record, lanes)[0].items():
        field = record.fields[name]
        if field.kind == "record" and field.record is not None:
            yield from _count_number_words(field.record, lanes, start + offset)
        elif field.kind in ("float", "int", "Row", "IntRow"):
            yield from range(start + offset, start + offset + (lanes if field.kind in ("Row", "IntRow") else 1))


def _list_fields(
    record: type[Record], lanes: int, start: int, outer: str = ""
) -> Iterator[tuple[int, tuple[str, Field]]]:
    """Word, path and kind of every field, those of records inside too."""
    for name, offset in record_layout(record, lanes)[0].items():
        field = record.fields[name]
        if field.kind == "record" and field.record is not None:
            yield from _list_fields(field.record, lanes, start + offset, f"{outer}{name}.")
        else:
            yield start + offset, (outer + name, field)


def _words_inside(field: Field, lanes: int) -> int:
    if field.kind == "record" and field.record is not None:
        return record_layout(field.record, lanes)[1]
    return 2 if field.kind == "FunctionPointer" else 1


_LAYOUTS: dict[tuple[type[Record], int], tuple[dict[str, int], int]] = {}


def layout_description(record: type[Record], lanes: int) -> str:
    """Everything about a record's layout that enters machine code."""
    offsets, words = record_layout(record, lanes)
    parts = [f"{name} {record.fields[name].kind} {offset}" for name, offset in offsets.items()]
    inner = [layout_description(field.record, lanes) for field in record.fields.values() if field.record is not None]
    return f"{record.__name__} {words}: {parts} {inner}"


def _parse_field(cls: type, name: str, text: str, names: Mapping[str, Any]) -> Field:
    if text in _KINDS:
        return Field(text)
    inner = text.removeprefix("Many[").removesuffix("]")
    found = names.get(inner)
    if isinstance(found, type) and issubclass(found, Record):
        if inner != text and any(field.kind in ("Row", "IntRow") for field in found.fields.values()):
            raise CompilerError(
                f"field '{name}' of {cls.__name__} lists records with rows; only whole records have rows"
            )
        return Field("record" if inner == text else "Many", found)
    raise CompilerError(
        f"field '{name}' of {cls.__name__} is {text}, expected one of {[*_KINDS]}, a record, or Many[...]"
    )


def _find_field(record: type[Record], lanes: int, path: str) -> tuple[int, Field]:
    """Word and kind of a field by its path, as 'events.found'."""
    word, field = 0, Field("record", record)
    for name in path.split("."):
        if field.record is None or name not in field.record.fields:
            raise CompilerError(f"'{path}' is not a field of {record.__name__}")
        word += record_layout(field.record, lanes)[0][name]
        field = field.record.fields[name]
    if field.kind not in ("Floats", "Ints", "Rows"):
        raise CompilerError(f"'{path}' of {record.__name__} is not an array")
    return word, field
