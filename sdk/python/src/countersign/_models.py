"""The answers of the service as frozen dataclasses, and how they are read from JSON.

Members and enum values that this version does not know are accepted: the service may be newer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, time, timezone
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._errors import ApiError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on an item, by a reviewer or by the auto-approve threshold."""

    id: str
    status: str
    """The resulting status of the item: `approved`, `rejected` or `escalated_final`."""
    action: str
    """What was done: `approve`, `edit`, `reject`, `respond`, `finalize`, or `auto_approve` without a person."""
    output: Any
    """What to ship; None unless approved."""
    edited: bool
    """Whether the output differs from the suggestion."""
    reason: str | None
    note: str | None
    response: str | None = None
    """What the reviewer answered in words instead; only where the action is `respond`."""
    reviewer_id: str | None
    decided_at: datetime
    revision: int | None = None
    """2, 3 and so on of a revision; None of a first decision."""
    revises: str | None = None
    """The ID of the decision that this one revises."""

    @property
    def approved(self) -> bool:
        """Whether the output may be used."""
        return self.status == "approved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The rule that chose the first status of an item, with the values it used."""

    rule: str
    auto_threshold: float
    review_threshold: float
    matched_flags: tuple[str, ...]
    settings_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFault:
    """Why a suggestion does not satisfy its schema."""

    pointer: str
    schema_pointer: str
    keyword: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """The answer to a submission: its status, and its decision where it has one already."""

    id: str
    status: str
    decision: Decision | None
    replayed: bool = False
    """An earlier request with the same idempotency key created the item."""
    expected_wait_seconds: float | None = None
    """How long people will probably need; None where the item does not wait for them, or when unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item: its submission, its routing and its decision."""

    id: str
    project_id: str
    status: str
    decision: Decision | None
    """The final decision; None until there is one."""
    input: Any
    suggestion: Any
    confidence: float
    risk_flags: tuple[str, ...]
    metadata: Mapping[str, Any] | None
    answer_schema: Any = None
    """The schema that applies to suggestion and output; None where there is none, and in lists."""
    suggestion_faults: tuple[AnswerFault, ...] = ()
    title: str | None = None
    kind: str = "answer"
    allowed_actions: tuple[str, ...] | None = None
    """As submitted; None where the default applies."""
    deadline: datetime | None = None
    on_deadline: str | None = None
    routing: Routing
    created_at: datetime
    decided_at: datetime | None
    emptied_at: datetime | None = None
    """When its content was deleted under the retention policy of the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What ended an item or revised its decision: from `events()`, or from a verified webhook.

    Events that are not about an item, such as `webhook.test`, have None for what they lack.
    """

    id: str
    """The same on every retry and replay, and in webhook and feed: ignore IDs that you have used."""
    event: str
    """`item.decided`, `decision.revised`, `item.expired`, `item.withdrawn`, or another name."""
    project_id: str | None
    item_id: str | None = None
    status: str | None = None
    decision: Decision | None = None
    reviewer_id: str | None = None
    decided_at: datetime | None = None
    cursor: str | None = None
    """Store it once you have used the event, and pass it as `after` to go on.

    None: there is nothing to store. So it is of a webhook, and of the first page of a feed read from the
    start, but for the last event of that page.
    """
    raw: Mapping[str, Any] = field(repr=False)
    """The event as it was received."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The result of one item of a batch: either `item`, or the `error` why it was refused."""

    index: int
    """The index of the item in the list that was submitted, from 0."""
    item: Submitted | None = None
    error: ApiError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewResult(Generic[T]):
    """What became of a suggestion that was reviewed."""

    item_id: str
    status: str
    approved: bool
    output: T | None
    """What to use, as `answer_model`; None unless approved."""
    decision: Decision | None
    """None where the item was rejected without one, by routing or by its deadline."""


class Malformed(ValueError):
    """A value is not what the contract says it is."""


class Reader:
    """Reads the members of one JSON object. Errors: `Malformed`, with the name of the member."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, dict):
            raise Malformed("an object is missing")
        self.data: dict[str, Any] = data

    def any(self, name: str) -> Any:
        """A required member of any type."""
        if name not in self.data:
            raise Malformed(f"`{name}` is missing")
        return self.data[name]

    def typed(self, name: str, kind: type[T]) -> T:
        """A required member of this type."""
        value = self.any(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Malformed(f"`{name}` is not of the type {kind.__name__}")
        return value

    def optional(self, name: str, kind: type[T]) -> T | None:
        """A member of this type; None where it is null or absent."""
        return None if self.data.get(name) is None else self.typed(name, kind)

    def number(self, name: str) -> float:
        """A required number."""
        value = self.any(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Malformed(f"`{name}` is not a number")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A required list of texts."""
        return tuple(str(text) for text in self.typed(name, list))

    def time(self, name: str) -> datetime:
        """A required time."""
        return parse_time(self.typed(name, str))

    def optional_time(self, name: str) -> datetime | None:
        """A time; None where it is null or absent."""
        return None if self.data.get(name) is None else self.time(name)


_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-]\d\d:\d\d))", re.ASCII)


def parse_time(text: str) -> datetime:
    """An RFC 3339 time, always with a time zone. Errors: `Malformed`."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise Malformed("a time is not one")
    try:
        return datetime.fromisoformat(_readable(*found.groups())).astimezone(timezone.utc)
    except (ValueError, OverflowError) as error:
        raise Malformed("a time is not one") from error


_CLOCK = re.compile(r"(\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-]\d\d:\d\d))", re.ASCII)


def parse_clock(text: str) -> time:
    """The time of a day by RFC 3339, always with a time zone. Errors: `Malformed`."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise Malformed("a time of day is not one")
    try:
        return time.fromisoformat(_readable(*found.groups()))
    except ValueError as error:
        raise Malformed("a time of day is not one") from error


def _readable(seconds: str, fraction: str | None, offset: str | None) -> str:
    """As Python 3.10 reads it, which knows neither "Z" nor every number of digits."""
    return f"{seconds}.{((fraction or '') + '000000')[:6]}{offset or '+00:00'}"


def read_decision(data: object) -> Decision | None:
    """The decision, or None for null."""
    if data is None:
        return None
    read = Reader(data)
    return Decision(
        id=read.typed("id", str),
        status=read.typed("status", str),
        action=read.typed("action", str),
        output=read.any("output"),
        edited=read.typed("edited", bool),
        reason=read.optional("reason", str),
        note=read.optional("note", str),
        response=read.optional("response", str),
        reviewer_id=read.optional("reviewer_id", str),
        decided_at=read.time("decided_at"),
        revision=read.optional("revision", int),
        revises=read.optional("revises", str),
    )


def read_submitted(data: object, *, replayed: bool = False, expected_wait_seconds: float | None = None) -> Submitted:
    """The answer to a submission."""
    read = Reader(data)
    return Submitted(
        id=read.typed("id", str),
        status=read.typed("status", str),
        decision=read_decision(read.any("decision")),
        replayed=replayed,
        expected_wait_seconds=expected_wait_seconds,
    )


def read_item(data: object) -> Item:
    """A whole item."""
    read = Reader(data)
    return Item(
        id=read.typed("id", str),
        project_id=read.typed("project_id", str),
        status=read.typed("status", str),
        decision=read_decision(read.any("decision")),
        input=read.any("input"),
        suggestion=read.any("suggestion"),
        confidence=read.number("confidence"),
        risk_flags=read.texts("risk_flags"),
        metadata=read.optional("metadata", dict),
        answer_schema=read.data.get("answer_schema"),
        suggestion_faults=tuple(map(_read_fault, read.optional("suggestion_faults", list) or ())),
        title=read.optional("title", str),
        kind=read.optional("kind", str) or "answer",
        allowed_actions=read.texts("allowed_actions") if "allowed_actions" in read.data else None,
        deadline=read.optional_time("deadline"),
        on_deadline=read.optional("on_deadline", str),
        routing=_read_routing(read.any("routing")),
        created_at=read.time("created_at"),
        decided_at=read.optional_time("decided_at"),
        emptied_at=read.optional_time("emptied_at"),
    )


def _read_fault(data: object) -> AnswerFault:
    read = Reader(data)
    return AnswerFault(
        pointer=read.typed("pointer", str),
        schema_pointer=read.typed("schema_pointer", str),
        keyword=read.typed("keyword", str),
        message=read.typed("message", str),
    )


def _read_routing(data: object) -> Routing:
    read = Reader(data)
    return Routing(
        rule=read.typed("rule", str),
        auto_threshold=read.number("auto_threshold"),
        review_threshold=read.number("review_threshold"),
        matched_flags=read.texts("matched_flags"),
        settings_version=read.typed("settings_version", int),
    )


def read_event(data: object, *, id: str | None = None, cursor: str | None = None) -> Event:
    """An event of the feed, or the body of a webhook whose `webhook-id` is `id`."""
    read = Reader(data)
    return Event(
        id=read.typed("id", str) if id is None else id,
        event=read.typed("event", str),
        project_id=read.optional("project_id", str),
        item_id=read.optional("item_id", str),
        status=read.optional("status", str),
        decision=read_decision(read.data.get("decision")),
        reviewer_id=read.optional("reviewer_id", str),
        decided_at=read.optional_time("decided_at"),
        cursor=cursor,
        raw=read.data,
    )
