"""Sends requests, and repeats them by the rules of `_retry`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from .._body import Body
from .._errors import ApiError, NetworkError
from .._models import Malformed
from .._retry import FOR_EVER, Attempts, Clock, Pause, RetryPolicy
from .._wire import Answer, Request, refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .._config import Config

logger = logging.getLogger("countersign")

SHORTEST_TRY = 1.0
"""Seconds that a try may take at least: a wait without any time left still reads the item once."""


class AsyncConnection:
    """The connection of a client: its HTTP client, its retry policy and its pause."""

    def __init__(
        self,
        config: Config,
        *,
        timeout: float,
        retry: RetryPolicy,
        http_client: httpx.AsyncClient | None,
        clock: Clock,
        sleep: Callable[[float], Awaitable[Any]] | None,
    ) -> None:
        # Many waits are open at once, each on a connection of its own.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        self._http = http_client or httpx.AsyncClient(limits=limits)
        self._owned = http_client is None
        self._config = config
        self._timeout = timeout
        self._pause = Pause()
        self.retry = retry
        self.clock = clock
        self.sleep: Callable[[float], Awaitable[Any]] = sleep or asyncio.sleep

    async def aclose(self) -> None:
        """Closes the HTTP client, unless the caller passed it."""
        if self._owned:
            await self._http.aclose()

    async def call(self, request: Request, retry: RetryPolicy | None = None, until: float = FOR_EVER) -> Answer:
        """The answer to a request, after as many tries as `retry` allows.

        A try takes no longer than until `until`, by the clock of this connection, on top of the wait that it
        asks for. Errors: `ApiError`, `NetworkError`.
        """
        try:
            return await self._repeat(request, Attempts(retry or self.retry, self.clock, self._pause), until)
        except (ApiError, NetworkError) as error:
            error.idempotency_key = request.idempotency_key
            raise

    async def _repeat(self, request: Request, attempts: Attempts, until: float) -> Answer:
        while True:
            while (delay := attempts.delay()) > 0:
                await self.sleep(delay)
            left = max(SHORTEST_TRY, until - self.clock.monotonic())
            try:
                return await self._send(request, request.wait + min(self._timeout, left))
            except (ApiError, NetworkError) as error:
                wait = attempts.failed(error)
                logger.warning(
                    "request failed, next try in %.2f s: %s %s, try %d, %s %s",
                    *(
                        wait,
                        request.method,
                        request.path,
                        error.tries,
                        error.code,
                        error.request_id,
                    ),
                )

    async def _send(self, request: Request, seconds: float) -> Answer:
        started = self.clock.monotonic()
        answer = await self._exchange(request, seconds)
        logger.debug(
            "request answered in %.3f s: %s %s, status %d, request %s",
            *(self.clock.monotonic() - started, request.method, request.path),
            *(answer.status, answer.request_id),
        )
        error = refusal(answer, self.clock.time())
        if error is not None:
            raise error
        return answer

    async def _exchange(self, request: Request, seconds: float) -> Answer:
        """Sends once, and reads the answer to its end within about `seconds`."""
        until = self.clock.monotonic() + seconds
        try:
            async with self._http.stream(
                request.method,
                request.url(self._config.url),
                headers=request.all_headers(self._config.api_key),
                content=request.body,
                timeout=httpx.Timeout(seconds, pool=None),
                follow_redirects=False,
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                answer = Answer(response.status_code, headers, b"", request.idempotency_key)
                if response.is_stream_consumed:
                    # By the transport of a test, which unpacked it too.
                    return replace(answer, content=response.content)
                try:
                    body = Body(headers.get("content-encoding", ""))
                    async for part in response.aiter_raw():
                        body.add(part)
                        # The time limits of httpx begin again with every part.
                        if self.clock.monotonic() > until:
                            raise NetworkError(f"no complete answer within {seconds:g} s")
                except Malformed as error:
                    raise answer.unexpected(error) from error
                return replace(answer, content=body.end())
        except httpx.TimeoutException as error:
            raise NetworkError(f"no answer within {seconds:g} s") from error
        except httpx.RequestError as error:
            raise NetworkError(str(error) or type(error).__name__) from error
