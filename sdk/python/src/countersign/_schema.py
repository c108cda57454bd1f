"""Makes the JSON Schema of an answer from a type, within the keywords that the service supports."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from ._readable_schema import readable_schema
from ._wire import plain

JSON_TYPES: dict[Any, dict[str, Any]] = {
    Any: {},
    object: {},
    None: {"type": "null"},
    type(None): {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Decimal: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "format": "time"},
    UUID: {"type": "string", "format": "uuid"},
}
"""The types without parts, and their schemas."""

UNIONS = (Union, types.UnionType)
LISTS = (list, Sequence)
MAPPINGS = (dict, Mapping)


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """A field of a dataclass, or a key of a TypedDict."""

    name: str
    type: Any
    required: bool
    notes: dict[str, Any]
    """Description and default, as the schema has them."""


def json_schema_of(model: Any) -> dict[str, Any]:
    """The JSON Schema of a pydantic model, a dataclass, a TypedDict, or a type made of these.

    ```python
    client.submit(input=..., suggestion=..., confidence=0.83, answer_schema=json_schema_of(Refund))
    ```

    Dataclasses and TypedDicts may have `str`, `int`, `float`, `bool`, `None`, `Any`, `Literal`, enums,
    `Decimal`, dates and times, `UUID`, lists, tuples, dicts with text keys, unions, and each other; a text
    in `Annotated[...]` is the description. Errors: `TypeError` for a type that has no schema.
    """
    if is_pydantic(model):
        return dict(readable_schema(_pydantic_schema(model)))
    maker = _Maker()
    schema = maker.root(model)
    return {**schema, "$defs": maker.shared} if maker.shared else schema


def is_pydantic(model: Any) -> bool:
    """Whether it is a pydantic model or a pydantic dataclass."""
    return hasattr(model, "__pydantic_validator__")


def _pydantic_schema(model: Any) -> dict[str, Any]:
    if hasattr(model, "model_json_schema"):
        return dict(model.model_json_schema())
    # A pydantic dataclass: so the package is installed.
    from pydantic import TypeAdapter

    return TypeAdapter(model).json_schema()


def annotation(type_: Any) -> tuple[Any, dict[str, Any]]:
    """Takes `Annotated`, `NotRequired` and the like off a type; a text in `Annotated` is its description."""
    notes: dict[str, Any] = {}
    while True:
        if hasattr(type_, "__supertype__"):
            type_ = type_.__supertype__
        elif typing.get_origin(type_) is typing.Annotated:
            type_, *extras = get_args(type_)
            texts = [one for one in extras if isinstance(one, str)]
            notes = {"description": texts[0], **notes} if texts else notes
        elif _wrapper(type_) is not None:
            (type_,) = get_args(type_)
        else:
            return type_, notes


def _wrapper(type_: Any) -> str | None:
    """`Required`, `NotRequired` or `ReadOnly`; they have no common class before Python 3.13."""
    origin = get_origin(type_)
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    return name if name in ("Required", "NotRequired", "ReadOnly") else None


def members_of(model: Any) -> list[Member] | None:
    """The members of a dataclass or a TypedDict in their order; None for other types."""
    if dataclasses.is_dataclass(model):
        hints = _hints(model)
        return [_field(one, hints[one.name]) for one in dataclasses.fields(model) if one.init]
    if typing.is_typeddict(model) or hasattr(model, "__required_keys__"):
        hints = _hints(model)
        return [_key(name, hint, model.__required_keys__) for name, hint in hints.items()]
    return None


def _hints(model: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(model, include_extras=True)
    except NameError as error:
        raise TypeError(
            f"The types of {model.__name__}: {error}. Import it outside of TYPE_CHECKING, in the module of the class."
        ) from None


def _field(field: dataclasses.Field[Any], hint: Any) -> Member:
    type_, notes = annotation(hint)
    if isinstance(field.metadata.get("description"), str):
        notes["description"] = field.metadata["description"]
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    if not required and isinstance(field.default, (str, int, float, bool, type(None))):
        notes["default"] = field.default.value if isinstance(field.default, Enum) else field.default
    return Member(field.name, type_, required, notes)


def _key(name: str, hint: Any, required: frozenset[str]) -> Member:
    # Where annotations are texts, `__required_keys__` does not know of NotRequired.
    marks: set[str | None] = set()
    inner = hint
    while get_args(inner) and (_wrapper(inner) or get_origin(inner) is typing.Annotated):
        marks.add(_wrapper(inner))
        inner = get_args(inner)[0]
    type_, notes = annotation(hint)
    is_required = name in required if "Required" not in marks else True
    return Member(name, type_, is_required and "NotRequired" not in marks, notes)


class _Maker:
    """Makes one schema; classes other than the root stand in `$defs`, so that they may contain each other."""

    def __init__(self) -> None:
        self.shared: dict[str, Any] = {}
        self._names: dict[Any, str] = {}
        self._root: Any = None

    def root(self, model: Any) -> dict[str, Any]:
        type_, notes = annotation(model)
        members = members_of(type_)
        if members is None:
            return {**self.of(type_), **notes}
        self._root = type_
        return {**self._object(type_, members), **notes}

    def of(self, hint: Any) -> dict[str, Any]:
        type_, notes = annotation(hint)
        return {**self._plain(type_), **notes}

    def _plain(self, type_: Any) -> dict[str, Any]:
        if _is_key(type_) and type_ in JSON_TYPES:
            return dict(JSON_TYPES[type_])
        if is_pydantic(type_):
            raise TypeError(f"{type_.__name__} is a pydantic model inside another type: make the outer type one, too.")
        if members_of(type_) is not None:
            return self._reference(type_)
        if isinstance(type_, type) and issubclass(type_, Enum):
            return {"enum": [plain(one) for one in type_]}
        return self._generic(type_, get_origin(type_) or type_, get_args(type_))

    def _generic(self, type_: Any, origin: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        if origin is Literal:
            return {"enum": [plain(one) if isinstance(one, Enum) else one for one in args]}
        if origin in UNIONS:
            return {"anyOf": [self.of(one) for one in args]}
        if origin in LISTS:
            return {"type": "array", **({"items": self.of(args[0])} if args else {})}
        if origin is tuple and args:
            return self._tuple(args)
        if origin in MAPPINGS and (not args or args[0] is str):
            values = {"additionalProperties": self.of(args[1])} if args else {}
            return {"type": "object", **values}
        raise TypeError(f"{type_!r} has no JSON Schema here: use one of the types that json_schema_of names.")

    def _tuple(self, args: tuple[Any, ...]) -> dict[str, Any]:
        if len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": self.of(args[0])}
        places = [self.of(one) for one in args if one != ()]
        return {
            "type": "array",
            "prefixItems": places,
            "minItems": len(places),
            "maxItems": len(places),
        }

    def _reference(self, type_: Any) -> dict[str, Any]:
        if type_ is self._root:
            return {"$ref": "#"}
        if type_ not in self._names:
            same = sum(1 for other in self._names if other.__name__ == type_.__name__)
            self._names[type_] = name = type_.__name__ + (f"_{same + 1}" if same else "")
            # Taken before it is filled: it may contain itself.
            self.shared[name] = {}
            self.shared[name] = self._object(type_, members_of(type_) or [])
        return {"$ref": f"#/$defs/{self._names[type_]}"}

    def _object(self, type_: Any, members: list[Member]) -> dict[str, Any]:
        return {
            "title": type_.__name__,
            "type": "object",
            "properties": {one.name: {**self.of(one.type), **one.notes} for one in members},
            "required": [one.name for one in members if one.required],
            "additionalProperties": False,
        }


def _is_key(type_: Any) -> bool:
    try:
        hash(type_)
    except TypeError:
        return False
    return True
