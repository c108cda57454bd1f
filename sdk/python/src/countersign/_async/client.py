"""The client of the public API."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._config import configure
from .._errors import ApiError, CountersignError, NetworkError, WaitTimeout
from .._models import ReviewResult, read_item
from .._pages import Position, checked_page_size, event_page, item_page, items_query
from .._retry import FOR_EVER, Clock, RetryPolicy
from .._review import (
    POLL_SECONDS,
    checked_wait,
    decision_of,
    is_final,
    output_of,
    schema_options,
    seconds_of,
    suggestion_of,
)
from .._submission import chunk_results, chunks, submit_request, too_large
from .._wire import Request, checked_key, encode, item_path, trace_header

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from datetime import datetime, timedelta
    from types import TracebackType
    from uuid import UUID

    import httpx
    from typing_extensions import Self, Unpack

    from .._models import BatchResult, Decision, Event, Item, Submitted
    from .._submission import Chunk, Submission, SubmissionOptions

T = TypeVar("T")


class AsyncCountersign:
    """A client for one project's API key.

    What is not passed is read from `COUNTERSIGN_URL`, `COUNTERSIGN_API_KEY` and `COUNTERSIGN_PROJECT_ID`.

    ```python
    async with AsyncCountersign() as client:
        item = await client.submit(input=question, suggestion=answer, confidence=0.83)
        decision = await client.wait(item.id, timeout=3600)
    ```

    Every call is safe to repeat, and is repeated by itself when no answer came and after 408, 429, 5xx and
    `idempotency_in_progress`: see `RetryPolicy`. A pause that the service asks for holds for all calls of
    this client. One client serves a whole program; close it at the end, or use it in a `with` statement.

    Errors of every call: `ApiError` (the service said no, and `code` says why), `NetworkError` (no answer
    came), `UnexpectedAnswer` (this is not the service). Errors here: `ConfigurationError`.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        project_id: str | None = None,
        *,
        timeout: float = 30.0,
        retry: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | None = None,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[Any]] | None = None,
    ) -> None:
        """Reads the configuration; the first request connects.

        Args:
            url: Base URL of the service, such as `https://review.example.org`.
            api_key: Key of one project, `csk_...`.
            project_id: The project that the key belongs to; needed to submit.
            timeout: Seconds for one request, on top of the wait that it asks for. For the headers of an answer it
                is the limit of each part: httpx has none for all of them. A hostile server that sends them byte
                by byte can be waited for longer, until it has sent 100 KiB.
            retry: How often a call is repeated.
            http_client: Sends the requests, with its proxies and certificates; the caller closes it.
            clock: Time and randomness, for tests.
            sleep: Waits for so many seconds, for tests and other event loops.
        """
        # httpx takes longer to import than everything else: verifying webhooks does not need it.
        from .connection import AsyncConnection

        self._config = configure(url, api_key, project_id)
        self._connection = AsyncConnection(
            self._config,
            timeout=timeout,
            retry=retry or RetryPolicy(),
            http_client=http_client,
            clock=clock or Clock(),
            sleep=sleep,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self._config.url!r}, project_id={self._config.project!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections. The client cannot be used afterwards."""
        await self._connection.aclose()

    def now(self) -> float:
        """Seconds by the clock of this client, from any start."""
        return self._connection.clock.monotonic()

    async def submit(
        self,
        *,
        input: Any,
        suggestion: Any,
        confidence: float,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
        wait_seconds: int = 0,
        **options: Unpack[SubmissionOptions],
    ) -> Submitted:
        """Submits an item; returns as soon as it is routed.

        Args:
            input: The input of the pipeline: any JSON. Dataclasses, pydantic models, times with a zone, `UUID` and
                `Decimal` are converted.
            suggestion: The proposed answer: any JSON; None: a person writes the answer.
            confidence: 0 to 1. The thresholds of the project decide whether people are asked (defaults: below
                0.7 rejected, from 0.95 approved).
            idempotency_key: 1 to 255 printable ASCII characters without a space at the ends, one per piece of
                work. The service remembers it for 7 days: the same submission makes no second item. Without
                one, only the tries of this call are covered.
            traceparent: W3C Trace Context, which webhooks about the item carry on.
            wait_seconds: 0 to 60: wait so long for the item to become final.
            **options: `risk_flags`, `metadata`, `answer_schema`, `title`, `kind`, `allowed_actions`,
                `deadline` or `deadline_seconds`, `on_deadline`: see `SubmissionOptions`.

        Errors: `ValidationFailed` names the fields in `details`; `PermissionDenied` for a key of another
        project; `PayloadTooLarge`; `TypeError` and `ValueError` for what cannot be sent.
        """
        item = {"input": input, "suggestion": suggestion, "confidence": confidence, **options}
        request = submit_request(
            self._config.project_id, item, idempotency_key, traceparent, checked_wait(wait_seconds)
        )
        return (await self._connection.call(request)).submitted()

    async def submit_batch(
        self,
        items: Iterable[Submission],
        *,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
    ) -> list[BatchResult]:
        """Submits many items, in as few requests as their number and size allow.

        Returns one result per item, in their order: `item`, or the `error` why this one was refused. When
        a whole request fails, its error has the `idempotency_key`: call again with the same items and
        that key, and what was submitted before is not submitted twice.
        """
        key = checked_key(idempotency_key)
        results: list[BatchResult] = []
        for chunk in chunks(self._config.project_id, items, key):
            try:
                results += await self._submit_chunk(chunk, traceparent)
            except CountersignError as error:
                error.idempotency_key = key
                raise
        return results

    async def _submit_chunk(self, chunk: Chunk, traceparent: str | None) -> list[BatchResult]:
        request = Request(
            "POST",
            "/items/batch",
            headers=trace_header(traceparent),
            body=chunk.body,
            idempotency_key=chunk.idempotency_key,
        )
        try:
            answer = await self._connection.call(request)
        except ApiError as error:
            if error.status == 413 and chunk.count == 1:
                return too_large(chunk, error)
            raise
        return answer.read(lambda data: chunk_results(chunk, data, replayed=answer.replayed))

    async def item(self, id: str | UUID, *, wait_seconds: int = 0) -> Item:
        """Reads an item; with `wait_seconds` (0 to 60) when it is final or the time is over. Errors: `NotFound`."""
        return await self._read(id, checked_wait(wait_seconds))

    async def _read(self, id: str | UUID, wait: int, retry: RetryPolicy | None = None, until: float = FOR_EVER) -> Item:
        request = Request("GET", item_path(id), query={"wait": wait} if wait else {}, wait=wait)
        return (await self._connection.call(request, retry, until)).read(read_item)

    async def items(
        self,
        *,
        status: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        page_size: int = 100,
    ) -> AsyncIterator[Item]:
        """Every item, newest first; pages are requested as needed.

        Args:
            status: Only items with this status, such as `queued`.
            since: Only items created at this time or later.
            until: Only items created before this time.
            page_size: 1 to 100.
        """
        query, position = items_query(status, since, until, page_size), Position()
        while True:
            answer = await self._connection.call(Request("GET", "/items", query={**query, **position.query()}))
            page = answer.read(partial(item_page, position=position))
            for item in page.entries:
                yield item
            if not page.has_more:
                return

    async def withdraw(self, id: str | UUID, reason: str | None = None) -> Submitted:
        """Withdraws an item that no longer needs an answer, with a reason for its reviewers.

        Repeats answer alike. Errors: `NotFound`; `Conflict` with the code `already_decided` or `expired`
        and the `item` where it ended before.
        """
        body = encode({} if reason is None else {"reason": reason})
        request = Request("POST", f"{item_path(id)}/withdraw", body=body)
        return (await self._connection.call(request)).submitted()

    async def wait(self, id: str | UUID, *, timeout: float | timedelta | None = None) -> Decision:
        """Waits for people: returns the final decision, whatever they decided.

        Network faults and restarts of the service do not end the wait. Without `timeout` (in seconds) it
        lasts until the item is final. Errors: `ItemExpired`, `ItemWithdrawn`, `ItemRejected` where it
        ended without a decision; `WaitTimeout`; `NotFound`.
        """
        return decision_of(await self._final(id, seconds_of(timeout)))

    async def _final(self, id: str | UUID, seconds: float) -> Item:
        """The item once it is final. Errors: `WaitTimeout`, and refusals that no repeat can change."""
        clock = self._connection.clock
        until = clock.monotonic() + seconds
        while True:
            began = clock.monotonic()
            left = max(0.0, until - began)
            asked = int(min(POLL_SECONDS, left))
            try:
                item = await self._read(id, asked, RetryPolicy(tries=FOR_EVER, seconds=left), until)
            except (ApiError, NetworkError) as error:
                if error.temporary:
                    raise WaitTimeout(str(id), seconds) from error
                raise
            if is_final(item):
                return item
            now = clock.monotonic()
            left = until - now
            if left <= 0:
                raise WaitTimeout(str(id), seconds)
            if left < 1:
                # The service waits whole seconds: the client waits for the rest itself, and reads once more.
                await self._connection.sleep(left)
            elif now - began < asked:
                # Too many requests wait: the service answers at once, and asks to come back later.
                await self._connection.sleep(min(1 + clock.random(), left))

    @overload
    async def review(
        self,
        *,
        input: Any,
        suggestion: T | dict[str, Any] | None,
        confidence: float,
        answer_model: type[T],
        timeout: float | timedelta | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
        **options: Unpack[SubmissionOptions],
    ) -> ReviewResult[T]: ...

    @overload
    async def review(
        self,
        *,
        input: Any,
        suggestion: Any,
        confidence: float,
        answer_model: None = None,
        timeout: float | timedelta | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
        **options: Unpack[SubmissionOptions],
    ) -> ReviewResult[Any]: ...

    async def review(
        self,
        *,
        input: Any,
        suggestion: Any,
        confidence: float,
        answer_model: Any = None,
        timeout: float | timedelta | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
        **options: Unpack[SubmissionOptions],
    ) -> ReviewResult[Any]:
        """Submits a suggestion and waits for its decision: the one call that an agent needs.

        ```python
        result = await client.review(
            input=ticket, suggestion=Refund(order="BM-1", amount=24.9), answer_model=Refund, confidence=0.83
        )
        if result.approved:
            issue(result.output)
        ```

        Args, besides those of `submit`:
            answer_model: A pydantic model, a dataclass or a TypedDict: people edit a form made from it,
                and `output` is one. With `kind="tool_call"` it describes the arguments, and `output` is
                the arguments. A suggestion that is such a pydantic model is sent by its validation aliases,
                with the excluded fields that it requires.
            timeout: Seconds for all of it; None: no limit.

        A rejection, also by routing or by the deadline, is a result. Errors: `ItemExpired`,
        `ItemWithdrawn`, `WaitTimeout`; the item still waits after the latter. `OutputInvalid` with the
        decision where `answer_model` does not take the output; `TypeError` for a suggestion that its own
        model cannot read back.
        """
        clock, retry, seconds = self._connection.clock, self._connection.retry, seconds_of(timeout)
        until = clock.monotonic() + seconds
        own = suggestion_of(suggestion, answer_model, options.get("kind"))
        item = {"input": input, "suggestion": own, "confidence": confidence, **schema_options(answer_model, options)}
        request = submit_request(self._config.project_id, item, idempotency_key, traceparent)
        in_time = RetryPolicy(tries=retry.tries, seconds=min(retry.seconds, seconds))
        submitted = (await self._connection.call(request, in_time, until)).submitted()
        status, decision = submitted.status, submitted.decision
        if decision is None:
            final = await self._final(submitted.id, max(0.0, until - clock.monotonic()))
            status, decision = final.status, final.decision
            if status in ("expired", "withdrawn"):
                decision = decision_of(final)
        output = output_of(decision, answer_model, options.get("kind"))
        return ReviewResult(
            item_id=submitted.id,
            status=status,
            approved=decision is not None and decision.approved,
            output=output,
            decision=decision,
        )

    async def events(
        self,
        after: str | None = None,
        *,
        follow: bool = False,
        poll_seconds: float = 5.0,
        page_size: int = 100,
    ) -> AsyncIterator[Event]:
        """What ended items or revised their decisions, oldest first, after the cursor `after` or from the start.

        Store `event.cursor` once you have used an event, and pass it as `after` after a restart: nothing
        is left out. The cursor is that of a page, so some events may come again: ignore the `id`s that
        you have used.

        ```python
        async for event in client.events(after=load_cursor(), follow=True):
            use(event)
            if event.cursor:
                save_cursor(event.cursor)
        ```

        Args:
            after: The cursor of the last event that was used.
            follow: Go on without an end; network faults and restarts of the service do not end it.
            poll_seconds: Seconds between two looks, where nothing is new.
            page_size: 1 to 100.
        """
        limit, position = checked_page_size(page_size), Position(after)
        for_ever = RetryPolicy(tries=FOR_EVER, seconds=FOR_EVER)
        while True:
            request = Request("GET", "/events", query={"limit": limit, **position.query()})
            answer = await self._connection.call(request, for_ever if follow else None)
            page = answer.read(partial(event_page, position=position))
            for event in page.entries:
                yield event
            if page.has_more:
                continue
            if not follow:
                return
            await self._connection.sleep(poll_seconds)
