"""Queries and pages of the lists: items, and events with their cursors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ._models import Malformed, Reader, read_event, read_item

if TYPE_CHECKING:
    from ._models import Event, Item

MAX_PAGE = 100


@dataclass(frozen=True, slots=True)
class ItemPage:
    """A page of items; `next_cursor` is None on the last one."""

    items: list[Item]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class EventPage:
    """A page of events; `next_cursor` is there also where nothing is new."""

    events: list[Event]
    next_cursor: str
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


def item_page(data: object, after: object) -> ItemPage:
    """A page that was asked for with the cursor `after`. Errors: `Malformed`."""
    read = Reader(data)
    cursor = read.typed("next_cursor", str) if read.typed("has_more", bool) else None
    items = [read_item(one) for one in read.typed("data", list)]
    _check_advance(cursor, after)
    return ItemPage(items, cursor)


def _check_advance(cursor: str | None, after: object) -> None:
    """Errors: `Malformed` for a next page that is the same one, which would be read for ever."""
    if cursor is not None and cursor == after:
        raise Malformed("`next_cursor` does not advance")


def event_page(data: object, after: str | None) -> EventPage:
    """A page that was asked for with the cursor `after`. Errors: `Malformed`.

    The service has a cursor per page. Every event but the last carries the one before the page, so that
    who stores the cursor of an event that they have used never misses one: at most a page comes again.
    """
    read = Reader(data)
    cursor = read.typed("next_cursor", str)
    more = read.typed("has_more", bool)
    events = [read_event(one, cursor=after) for one in read.typed("data", list)]
    if events:
        events[-1] = replace(events[-1], cursor=cursor)
    _check_advance(cursor if more else None, after)
    return EventPage(events, cursor, more)
