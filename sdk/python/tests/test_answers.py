"""JSON Schemas from types, and typed outputs from JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence  # noqa: TC003
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, TypedDict
from uuid import UUID

import pydantic
import pytest
from typing_extensions import NotRequired, Required

from countersign import OutputInvalid, json_schema_of, parse_output
from countersign._wire import encode


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


Code = NewType("Code", str)


@dataclass
class Place:
    city: Annotated[str, "Where it goes"]
    zip: str | None = None


@dataclass
class Order:
    code: Code
    count: int
    price: Decimal
    paid: bool
    size: Size
    speed: Literal["fast", "slow", 3]
    place: Place
    at: datetime
    day: date
    hour: time
    id: UUID
    tags: list[str]
    pair: tuple[int, str]
    many: tuple[int, ...]
    notes: Mapping[str, Sequence[float]]
    extra: Any
    note: str = field(default="none", metadata={"description": "A note"})
    children: list[Order] = field(default_factory=list)
    other: Place | None = None


ORDER = Order(
    code=Code("c"),
    count=2,
    price=Decimal("24.90"),
    paid=True,
    size=Size.LARGE,
    speed=3,
    place=Place("Rome"),
    at=datetime(2027, 1, 2, 3, 4, 5, 60000, tzinfo=timezone.utc),
    day=date(2027, 1, 2),
    hour=time(3, 4, tzinfo=timezone.utc),
    id=UUID(int=7),
    tags=["a"],
    pair=(1, "x"),
    many=(1, 2, 3),
    notes={"a": [1.5]},
    extra={"x": [None]},
)


class Draft(TypedDict, total=False):
    title: Required[Annotated[str, "The title"]]
    pages: int
    size: Size


class Letter(Draft):
    text: str
    copy: NotRequired[bool]


def test_a_dataclass_becomes_a_schema() -> None:
    schema = json_schema_of(Order)
    assert schema["required"][:3] == ["code", "count", "price"]
    assert not {"note", "children", "other"} & set(schema["required"])
    properties = schema["properties"]
    assert properties["code"] == {"type": "string"}
    assert properties["size"] == {"enum": ["s", "l"]}
    assert properties["speed"] == {"enum": ["fast", "slow", 3]}
    assert properties["place"] == {"$ref": "#/$defs/Place"}
    assert properties["children"] == {"type": "array", "items": {"$ref": "#"}}
    assert properties["pair"] == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "minItems": 2,
        "maxItems": 2,
    }
    assert properties["many"] == {"type": "array", "items": {"type": "integer"}}
    assert properties["notes"]["additionalProperties"] == {"type": "array", "items": {"type": "number"}}
    assert properties["note"] == {"type": "string", "description": "A note", "default": "none"}
    assert properties["other"] == {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": None}
    assert schema["$defs"]["Place"]["properties"]["city"] == {"type": "string", "description": "Where it goes"}


def test_a_dataclass_comes_back_as_it_was_sent() -> None:
    order = parse_output(Order, json.loads(encode(ORDER)))
    assert order == ORDER
    nested = {**json.loads(encode(ORDER)), "children": [json.loads(encode(ORDER))], "other": {"city": "Oslo"}}
    back = parse_output(Order, nested)
    assert (back.children, back.other) == ([ORDER], Place("Oslo"))


def test_a_typed_dict_becomes_a_schema_and_comes_back() -> None:
    schema = json_schema_of(Letter)
    assert sorted(schema["required"]) == ["text", "title"]
    assert schema["properties"]["title"] == {"type": "string", "description": "The title"}
    letter = parse_output(Letter, {"title": "T", "text": "x", "size": "s"})
    assert letter == {"title": "T", "text": "x", "size": Size.SMALL}


@pytest.mark.parametrize(
    ("model", "value", "expected"),
    [
        (int, 3.0, 3),
        (float, 3, 3.0),
        (str, "x", "x"),
        (list[int], [1], [1]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (int | None, None, None),
        (str | list[Place], [{"city": "Rome"}], [Place("Rome")]),
        (Decimal, 0.1, Decimal("0.1")),
        (Literal["a", 1], 1.0, 1),
        (time, "03:04:05Z", time(3, 4, 5, tzinfo=timezone.utc)),
        (time, "03:04:05.1234567Z", time(3, 4, 5, 123456, tzinfo=timezone.utc)),
        (time, "03:04:05.1+02:00", time(3, 4, 5, 100000, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_other_types_come_back_too(model: Any, value: Any, expected: Any) -> None:
    result = parse_output(model, value)
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("model", "value", "words"),
    [
        (int, True, "not a number"),
        (int, 1.5, "not a whole number"),
        (int, math.inf, "not a finite number"),
        (int, math.nan, "not a finite number"),
        (float, json.loads("-1e400"), "not a finite number"),
        (Decimal, math.inf, "not a finite number"),
        (float, 10**400, "too large"),
        (list[int], [1, math.nan], "/1 is not a finite number"),
        (bool, 1, "not a bool"),
        (str, None, "not a str"),
        (Literal[1], True, "not one of 1"),
        (Size, "m", "not one of Size"),
        (list[int], [1, "2"], "/1 is not a number"),
        (tuple[int, str], [1], "has 1 values, not 2"),
        (date, "2027-13-01", "not a date"),
        (UUID, "x", "not a UUID"),
        (time, "03:04:05", "not a time"),
        (time, "T030405Z", "not a time"),
        (time, "25:04:05Z", "not a time"),
        (datetime, "2027-01-02T03:04:05", "not a datetime"),
        (Place, {}, "/city is missing"),
        (Place, {"city": "x", "town": "y"}, "/town is unknown"),
        (list[Place], [{"city": 3}], "/0/city is not a str"),
        (Letter, {"title": "x"}, "/text is missing"),
    ],
)
def test_an_output_of_another_type_names_the_place(model: Any, value: Any, words: str) -> None:
    with pytest.raises(OutputInvalid, match=words):
        parse_output(model, value)


def test_a_dataclass_may_refuse_by_itself() -> None:
    @dataclass
    class Even:
        number: int

        def __post_init__(self) -> None:
            if self.number % 2:
                raise ValueError("must be even")

    assert parse_output(Even, {"number": 2}) == Even(2)
    with pytest.raises(OutputInvalid, match="must be even"):
        parse_output(Even, {"number": 3})


@pytest.mark.parametrize("model", [set[str], bytes, dict[int, str], complex, list[bytes]])
def test_a_type_without_a_schema_is_refused(model: Any) -> None:
    with pytest.raises(TypeError, match="no JSON Schema"):
        json_schema_of(model)


class Line(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)

    sku: str = pydantic.Field(min_length=1)
    at: datetime
    price: Decimal = pydantic.Field(gt=0, max_digits=8, decimal_places=2)


class Basket(pydantic.BaseModel):
    """What the customer gets."""

    model_config = pydantic.ConfigDict(regex_engine="python-re")

    lines: list[Line]
    note: str | None = pydantic.Field(default=None, alias="theNote", pattern="^(?!x)")
    default: str | None = pydantic.Field(default="(?!)", pattern="^(?=.)")

    @pydantic.model_validator(mode="after")
    def _not_empty(self) -> Basket:
        if not self.lines:
            raise ValueError("a basket is never empty")
        return self


def test_a_pydantic_model_becomes_a_schema_without_patterns_that_look_around() -> None:
    schema = json_schema_of(Basket)
    assert schema["description"] == "What the customer gets."
    assert schema["properties"]["lines"]["items"] == {"$ref": "#/$defs/Line"}
    text = json.dumps(schema)
    assert "theNote" in text
    assert "pattern" not in text
    assert schema["properties"]["default"]["default"] == "(?!)"


def test_a_pydantic_model_comes_back_as_it_was_sent() -> None:
    line = Line(sku="a", at=datetime(2027, 1, 2, tzinfo=timezone.utc), price=Decimal("2.50"))
    basket = Basket(lines=[line], theNote="n")
    assert parse_output(Basket, json.loads(encode(basket))) == basket


def test_a_fault_of_a_pydantic_model_names_no_content() -> None:
    with pytest.raises(OutputInvalid, match="lines: Field required") as raised:
        parse_output(Basket, {"theNote": "a secret"})
    assert "secret" not in str(raised.value)
    with pytest.raises(OutputInvalid, match="never empty"):
        parse_output(Basket, {"lines": []})


def test_a_pydantic_dataclass_is_a_model_too() -> None:
    @pydantic.dataclasses.dataclass
    class Point:
        x: int = pydantic.Field(ge=0)

    assert json_schema_of(Point)["properties"]["x"]["minimum"] == 0
    assert parse_output(Point, json.loads(encode(Point(x=3)))) == Point(x=3)


def test_a_name_that_only_type_checkers_know_is_an_error_that_says_so() -> None:
    @dataclass
    class Hidden:
        place: Elsewhere  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match="Hidden: name 'Elsewhere' is not defined"):
        json_schema_of(Hidden)


def test_a_model_inside_another_type_says_what_to_do() -> None:
    with pytest.raises(TypeError, match="make the outer type one"):
        json_schema_of(list[Basket])
