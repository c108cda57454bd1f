"""Queries and pages of the lists: items, and events with their cursors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from ._models import Malformed, Reader, read_event, read_item

if TYPE_CHECKING:
    from ._models import Event, Item

T = TypeVar("T")

MAX_PAGE = 100


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list."""

    entries: list[T]
    has_more: bool


def items_query(
    status: str | None, since: datetime | str | None, until: datetime | str | None, page_size: int
) -> dict[str, str | int]:
    """The query of the first page. Errors: `ValueError`."""
    given = {"status": status, "since": _moment(since), "until": _moment(until)}
    return {
        **{name: value for name, value in given.items() if value is not None},
        "limit": checked_page_size(page_size),
    }


def checked_page_size(size: int) -> int:
    """Errors: `ValueError` for a size that no page can have."""
    if not 1 <= size <= MAX_PAGE:
        raise ValueError(f"A page has 1 to {MAX_PAGE} entries.")
    return size


def _moment(time: datetime | str | None) -> str | None:
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise ValueError("A time needs a time zone: use datetime.now(timezone.utc).")
        return time.isoformat()
    return time


class Position:
    """Where the reading of a list stands. Notices cursors that lead back to an earlier page.

    Brent's way to find a cycle: one cursor is remembered, and replaced after 1, 2, 4, 8, ... pages, so that a
    cycle of any length comes back to it.
    """

    def __init__(self, start: str | None = None) -> None:
        self.cursor = start
        self._remembered: str | None = None
        self._steps = 0
        self._replaced_after = 1

    def query(self) -> dict[str, str]:
        """What asks for the next page."""
        return {} if self.cursor is None else {"after": self.cursor}

    def advance(self, cursor: str, *, more: bool) -> None:
        """Goes on to the page after `cursor`. Errors: `Malformed` for pages that would be read for ever."""
        if cursor == self.cursor:
            if more:
                raise Malformed("`next_cursor` does not advance")
            return
        if cursor == self._remembered:
            raise Malformed("`next_cursor` leads back to an earlier page")
        self.cursor = cursor
        self._steps += 1
        if self._steps == self._replaced_after:
            self._remembered, self._steps, self._replaced_after = cursor, 0, 2 * self._replaced_after


def item_page(data: object, position: Position) -> Page[Item]:
    """The page that comes next; goes on to the one after it. Errors: `Malformed`."""
    read = Reader(data)
    more = read.typed("has_more", bool)
    items = [read_item(one) for one in read.typed("data", list)]
    if more:
        position.advance(read.typed("next_cursor", str), more=True)
    return Page(items, more)


def event_page(data: object, position: Position) -> Page[Event]:
    """The page that comes next; goes on to the one after it. Errors: `Malformed`.

    The service has a cursor per page. Every event but the last carries the one before the page, so that
    who stores the cursor of an event that they have used never misses one: at most a page comes again.
    """
    read = Reader(data)
    cursor = read.typed("next_cursor", str)
    more = read.typed("has_more", bool)
    events = [read_event(one, cursor=position.cursor) for one in read.typed("data", list)]
    if events:
        events[-1] = replace(events[-1], cursor=cursor)
    position.advance(cursor, more=more)
    return Page(events, more)
