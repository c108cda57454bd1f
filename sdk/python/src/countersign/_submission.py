"""Builds the bodies of submissions, and splits batches by the limits of the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ._errors import ApiError, FieldError
from ._models import BatchResult, Malformed, Reader, read_submitted
from ._wire import Request, checked_key, encode, problem_error, trace_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Kind = Literal["answer", "tool_call"]
"""What a suggestion is: an answer, or `{"name": ..., "arguments": {...}}` of a tool that people let run."""
Action = Literal["approve", "edit", "reject", "respond"]
"""What a submission lets reviewers do."""
OnDeadline = Literal["expire", "escalate", "reject"]
"""What happens at the deadline of an item that nobody decided. Time approves nothing."""

MAX_BATCH_ITEMS = 500
MAX_BATCH_BYTES = 5 * 1024 * 1024


class SubmissionOptions(TypedDict, total=False):
    """The optional members of a submission. A member that is left out takes the default of the project."""

    risk_flags: Sequence[str]
    """Tags that escalate the item if the project lists them."""
    metadata: Mapping[str, Any]
    """Any other data of the item; reviewers see `model` and `source`."""
    answer_schema: Any
    """A JSON Schema that suggestion and output must satisfy; None: none, also where the project has one."""
    title: str
    """The line that identifies the item in lists."""
    kind: Kind
    allowed_actions: Sequence[Action]
    deadline: timedelta | datetime | str | None
    """A timedelta from the arrival; or a datetime with a time zone, or RFC 3339; None: no deadline."""
    deadline_seconds: int
    """The same, counted from the arrival; pass one of the two."""
    on_deadline: OnDeadline


class Submission(SubmissionOptions):
    """What is submitted for one item; `submit_batch` takes any number of them."""

    input: Any
    """The input of the pipeline: any JSON."""
    suggestion: Any
    """The proposed answer: any JSON; None: a person writes the answer."""
    confidence: float
    """0 to 1."""


REQUIRED = ("input", "suggestion", "confidence")
_KNOWN = frozenset(Submission.__annotations__) | frozenset(SubmissionOptions.__annotations__)


def item_body(project_id: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a submission. Errors: `TypeError` for unknown or missing members, `ValueError`."""
    unknown = sorted(set(item) - _KNOWN)
    if unknown:
        # A misspelt `risk_flag` must not slip past escalation.
        raise TypeError(f"A submission has no member {unknown[0]!r}. It has: {', '.join(sorted(_KNOWN))}.")
    missing = [name for name in REQUIRED if name not in item]
    if missing:
        raise TypeError(f"The submission lacks {missing[0]!r}.")
    body: dict[str, Any] = {"project_id": project_id, **item}
    if "deadline" in item:
        if "deadline_seconds" in item:
            raise TypeError("Pass deadline or deadline_seconds, not both.")
        body.update(_deadline(body.pop("deadline")))
    return body


def submit_request(
    project_id: str, item: Mapping[str, Any], key: str | None, traceparent: str | None, wait: int = 0
) -> Request:
    """The request that submits an item. Errors: `TypeError` and `ValueError` for what cannot be sent."""
    prefer = {"prefer": f"wait={wait}"} if wait else {}
    return Request(
        "POST",
        "/items",
        headers={**prefer, **trace_header(traceparent)},
        body=encode(item_body(project_id, item)),
        wait=wait,
        idempotency_key=checked_key(key),
    )


def _deadline(deadline: object) -> dict[str, Any]:
    if isinstance(deadline, timedelta):
        # Rounded up: a deadline never comes earlier than it was asked for.
        return {"deadline_seconds": -(-deadline // timedelta(seconds=1))}
    if isinstance(deadline, datetime):
        if deadline.tzinfo is None:
            raise ValueError("The deadline has no time zone: use datetime.now(timezone.utc) + ...")
        return {"deadline": deadline.isoformat(timespec="milliseconds")}
    if deadline is None or isinstance(deadline, str):
        return {"deadline": deadline}
    raise TypeError("A deadline is a timedelta, a datetime with a time zone, RFC 3339, or None.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a batch that one request can carry; `start` is the index of its first item."""

    start: int
    count: int
    body: bytes
    idempotency_key: str


def chunks(project_id: str, items: Iterable[Mapping[str, Any]], key: str) -> list[Chunk]:
    """Splits a batch by the number and the bytes of its items, always alike. Errors: as `item_body`."""
    groups: list[list[bytes]] = []
    size = 0
    for item in items:
        text = encode(item_body(project_id, item))
        full = bool(groups) and (len(groups[-1]) == MAX_BATCH_ITEMS or size + 1 + len(text) > MAX_BATCH_BYTES)
        if full or not groups:
            groups.append([])
            size = len(b'{"items":[]}')
        groups[-1].append(text)
        size += len(text) + 1
    return _numbered(groups, key)


def _numbered(groups: list[list[bytes]], key: str) -> list[Chunk]:
    suffixes = [""] if len(groups) == 1 else [f" {number}" for number in range(1, len(groups) + 1)]
    if groups and len(key + suffixes[-1]) > 255:
        raise ValueError(f"A batch of {len(groups)} requests needs a shorter idempotency key: at most 240 characters.")
    made: list[Chunk] = []
    start = 0
    for texts, suffix in zip(groups, suffixes, strict=True):
        made.append(Chunk(start, len(texts), b'{"items":[' + b",".join(texts) + b"]}", key + suffix))
        start += len(texts)
    return made


def chunk_results(chunk: Chunk, data: object, *, replayed: bool) -> list[BatchResult]:
    """The results of a chunk in the order of its items. Errors: `Malformed`."""
    results = [_result(one, chunk.start, replayed=replayed) for one in Reader(data).typed("results", list)]
    results.sort(key=lambda result: result.index)
    if [result.index for result in results] != list(range(chunk.start, chunk.start + chunk.count)):
        raise Malformed("the results are not those of the items")
    return results


def _result(data: object, start: int, *, replayed: bool) -> BatchResult:
    read = Reader(data)
    local = read.typed("index", int)
    if "error" not in read.data:
        return BatchResult(index=start + local, item=read_submitted(data, replayed=replayed))
    problem = Reader(read.any("error"))
    request_id = problem.optional("request_id", str)
    error = problem_error(problem.data, problem.typed("status", int), request_id=request_id)
    error.details = tuple(_moved(one, local, start) for one in error.details)
    return BatchResult(index=start + local, error=error)


def _moved(error: FieldError, local: int, start: int) -> FieldError:
    """The service counts from the start of the request; the caller from the start of the batch."""
    here = f"#/items/{local}"
    if error.pointer != here and not error.pointer.startswith(f"{here}/"):
        return error
    return FieldError(f"#/items/{start + local}{error.pointer[len(here) :]}", error.code, error.detail)


def too_large(chunk: Chunk, error: ApiError) -> list[BatchResult]:
    """The result of a single item that is too large for any request."""
    return [BatchResult(index=chunk.start, error=error)]
