"""Suggestions that are pydantic models, by the names that their own schemas have."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import pydantic
import pytest
from fake import decided_item, submitted_json
from fake import ok as answer
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, computed_field

from countersign import json_schema_of, parse_output
from countersign._pydantic_form import validation_form
from countersign._wire import encode

if TYPE_CHECKING:
    from collections.abc import Callable

FORBID = ConfigDict(extra="forbid")


class Read(BaseModel):
    model_config = FORBID
    order: str = Field(validation_alias="orderId")


class Written(BaseModel):
    model_config = FORBID
    order: str = Field(serialization_alias="orderId")


class Both(BaseModel):
    model_config = FORBID
    order: str = Field(alias="orderId")


class Choices(BaseModel):
    model_config = FORBID
    order: str = Field(validation_alias=AliasChoices(AliasPath("orders", 0), "orderId", "id"))


class Total(BaseModel):
    model_config = FORBID
    net: float

    @computed_field
    def gross(self) -> float:
        return self.net * 2


class Shown(BaseModel):
    net: float

    @computed_field(alias="grossAmount")
    def gross(self) -> float:
        return self.net * 2


class Hidden(BaseModel):
    model_config = FORBID
    net: float = Field(exclude=True)
    at: datetime = Field(exclude=True)
    part: Total = Field(exclude=True)
    note: str = Field(default="", exclude=True)


class Upper(BaseModel):
    model_config = ConfigDict(alias_generator=str.upper, populate_by_name=True, extra="forbid")
    order: str


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    order: str = Field(validation_alias=AliasPath("orders", 0))


class More(BaseModel):
    model_config = ConfigDict(extra="allow")
    order: str = Field(validation_alias="orderId")

    @computed_field
    def size(self) -> int:
        return len(self.order)


@pydantic.dataclasses.dataclass
class Point:
    x: int = Field(validation_alias="left")


class Inside(BaseModel):
    model_config = FORBID
    one: Read
    many: list[Total]
    named: dict[str, Point]
    pair: tuple[int, Written]
    maybe: Read | Total | None = None
    price: Decimal = Decimal(1)


class Own(BaseModel):
    """A serializer of its own decides what is written."""

    total: Annotated[Total, pydantic.PlainSerializer(lambda one: {"net": one.net})]
    other: Total

    @pydantic.field_serializer("other")
    def _other(self, one: Total) -> Any:
        return {"net": one.net}


class Root(pydantic.RootModel[list[Total]]):
    pass


class Lower(BaseModel):
    order: str

    @pydantic.model_serializer
    def _text(self) -> str:
        return self.order

    @pydantic.model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        return {"order": given} if isinstance(given, str) else given


AT = datetime(2027, 1, 2, tzinfo=timezone.utc)
HIDDEN = Hidden(net=2, at=AT, part=Total(net=1))
INSIDE = Inside.model_validate(
    {
        "one": {"orderId": "a"},
        "many": [{"net": 1}, {"net": 2}],
        "named": {"p": {"left": 1}},
        "pair": [1, {"order": "b"}],
        "maybe": {"net": 3},
        "price": "2.50",
    }
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Read.model_validate({"orderId": "a"}), {"orderId": "a"}),
        (Written(order="a"), {"order": "a"}),
        (Both(orderId="a"), {"orderId": "a"}),
        (Choices.model_validate({"id": "a"}), {"orderId": "a"}),
        (Upper(order="a"), {"ORDER": "a"}),
        (ByName(order="a"), {"order": "a"}),
        (More.model_validate({"orderId": "a", "more": 1}), {"orderId": "a", "more": 1}),
        (Total(net=1), {"net": 1}),
        # Its model ignores what is more, and reviewers see it.
        (Shown(net=1), {"net": 1, "grossAmount": 2}),
        (HIDDEN, {"net": 2, "at": "2027-01-02T00:00:00Z", "part": {"net": 1}}),
        (parse_output(Point, {"left": 1}), {"left": 1}),
        (
            INSIDE,
            {
                "one": {"orderId": "a"},
                "many": [{"net": 1}, {"net": 2}],
                "named": {"p": {"left": 1}},
                "pair": [1, {"order": "b"}],
                "maybe": {"net": 3},
                "price": "2.50",
            },
        ),
        (Own(total=Total(net=1), other=Total(net=2)), {"total": {"net": 1}, "other": {"net": 2}}),
        (Root([Total(net=1)]), [{"net": 1}]),
        (Lower(order="a"), "a"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_model_is_written_as_it_reads_itself(value: Any, written: Any) -> None:
    sent = json.loads(encode(validation_form(value)))
    assert sent == written
    assert parse_output(type(value), sent) == value
    schema = json_schema_of(type(value))
    if schema.get("type") == "object" and isinstance(sent, dict):
        assert set(schema["required"]) <= set(sent)
        assert schema.get("additionalProperties", True) or set(sent) <= set(schema["properties"])


def test_a_model_without_such_fields_is_written_byte_by_byte_as_it_is_serialized() -> None:
    for value in (Both(orderId="a"), Shown(net=1), Upper(order="a"), Lower(order="a")):
        assert encode(validation_form(value)) == encode(value)


class Deep(BaseModel):
    order: str = Field("none", validation_alias=AliasPath("orders", 0))


class NotByAlias(BaseModel):
    model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)
    order: str = Field(alias="orderId")


class Secret(BaseModel):
    order: pydantic.SecretStr = Field(exclude=True)


class Opaque(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    order: object = Field(exclude=True)


@pytest.mark.parametrize(
    "value",
    [
        Deep.model_validate({"orders": ["a"]}),
        NotByAlias.model_validate({"order": "a"}),
        Secret(order=pydantic.SecretStr("a")),
        Opaque(order=object()),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_field_that_its_model_cannot_read_back_is_named_before_anything_is_sent(
    client: Callable[..., Any], value: Any
) -> None:
    api, service = client(answer(submitted_json(), 201))
    with pytest.raises(TypeError, match=f"{type(value).__name__} .*'order'"):
        api.review(input=1, suggestion=value, answer_model=type(value), confidence=0.8)
    assert service.requests == []


def test_a_review_sends_the_form_of_its_model_and_returns_it(client: Callable[..., Any]) -> None:
    output = {"orderId": "a"}
    api, service = client(answer(submitted_json(), 201), answer(decided_item(action="approve", output=output)))
    result = api.review(input=1, suggestion=Read.model_validate({"orderId": "a"}), answer_model=Read, confidence=0.8)
    assert service.bodies()[0]["suggestion"] == output
    assert result.output == Read.model_validate({"orderId": "a"})


def test_a_review_of_a_tool_call_sends_the_form_of_its_arguments(client: Callable[..., Any]) -> None:
    call = {"name": "refund", "arguments": {"orderId": "a"}}
    api, service = client(answer(submitted_json(), 201), answer(decided_item(action="approve", output=call)))
    suggestion = {"name": "refund", "arguments": Read.model_validate({"orderId": "a"})}
    result = api.review(input=1, suggestion=suggestion, answer_model=Read, confidence=0.8, kind="tool_call")
    assert service.bodies()[0]["suggestion"] == call
    assert result.output == Read.model_validate({"orderId": "a"})


def test_a_suggestion_of_another_model_is_written_as_it_is_serialized(client: Callable[..., Any]) -> None:
    api, service = client(answer(submitted_json(), 201), answer(decided_item(action="approve", output={"net": 1})))
    api.review(input=1, suggestion=Written(order="a"), answer_model=Total, confidence=0.8)
    assert service.bodies()[0]["suggestion"] == {"orderId": "a"}
