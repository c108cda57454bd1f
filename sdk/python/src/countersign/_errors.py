"""The errors of this package, one class per kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ._models import Decision, Item, Submitted

E = TypeVar("E", bound="CountersignError")


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field: `pointer` is a JSON pointer into the body, such as `#/risk_flags/0`."""

    pointer: str
    code: str
    detail: str


class CountersignError(Exception):
    """The base of every error that this package raises on purpose.

    All have the attributes below, so that a program can log any of them alike.
    """

    code: str = "error"
    """The error code of the service, or one of this package."""
    request_id: str | None = None
    """Identifies the answer in the log of the service; None where another server answered, or none."""
    details: tuple[FieldError, ...] = ()
    """The invalid fields; empty where the error is not about a field."""
    idempotency_key: str | None = None
    """The key of the failed call. Repeat the call with it: nothing is submitted twice."""
    tries: int = 1
    """How many requests the call made."""

    @property
    def status(self) -> int | None:
        """The HTTP status; None where there was no answer."""
        return None

    @property
    def temporary(self) -> bool:
        """Whether the same call can succeed later."""
        return False

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with required arguments cannot be unpickled otherwise, and task queues pickle them.
        return _restored, (type(self), self.args, self.__dict__.copy())


def _restored(kind: type[E], args: tuple[Any, ...], state: dict[str, Any]) -> E:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigurationError(CountersignError, ValueError):
    """The address, the key or the project is missing or unusable: the message says what to set."""

    code = "configuration"


class NetworkError(CountersignError):
    """No complete answer arrived in the allowed tries. The call may have taken effect nevertheless.

    Where `tries` is 0 it has not: the service has asked to wait longer than the call may, and nothing was sent.
    """

    code = "network"

    def __init__(self, reason: str) -> None:
        super().__init__(f"No answer from the service: {reason}")
        self.reason = reason

    @property
    def temporary(self) -> bool:
        """Whether the same call can succeed later: always."""
        return True


class UnexpectedAnswer(CountersignError):
    """A server answered, but not as Countersign does: the base URL is probably wrong."""

    code = "unexpected_answer"

    def __init__(self, status: int, request_id: str | None, what: str) -> None:
        super().__init__(
            f"The answer with status {status} from this address is not one of Countersign "
            f"as this client knows it: {what}"
        )
        self._status = status
        self.request_id = request_id

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._status


class ApiError(CountersignError):
    """The service refused the call: `code` says why, and `detail` what to do.

    Calls were repeated as often as they may be before this is raised.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        details: tuple[FieldError, ...] = (),
        request_id: str | None = None,
        retry_after: int | None = None,
        item: Submitted | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self._status = status
        self.code = code
        self.detail = detail
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds that the service asks to wait; None where it does not."""
        self.item = item
        """The item, where its state is the reason."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._status

    @property
    def temporary(self) -> bool:
        """Whether the same call can succeed later."""
        return self.status in (408, 429) or self.status >= 500 or self.code == "idempotency_in_progress"


class BadRequest(ApiError):
    """400: a header, a cursor or an ID is malformed."""


class AuthenticationError(ApiError):
    """401: the API key is missing, unknown or revoked."""


class PermissionDenied(ApiError):
    """403: the key is of another project, or has no scope for this call."""


class NotFound(ApiError):
    """404: there is no such item in the project of the key."""


class Conflict(ApiError):
    """409: the item was decided (`already_decided`) or expired (`expired`) before; `item` has its state."""


class PayloadTooLarge(ApiError):
    """413: the item or the batch is larger than the service accepts."""


class ValidationFailed(ApiError):
    """422: `details` names the invalid fields. Also a reused idempotency key, and an invalid schema."""


class RateLimited(ApiError):
    """429: too many requests; the client has waited as long as its retry policy allows."""


class ServiceError(ApiError):
    """500 and above: the service, or a proxy before it, is failing."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: AuthenticationError,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
    422: ValidationFailed,
    429: RateLimited,
}


def api_error_class(status: int) -> type[ApiError]:
    """The class of the errors with this HTTP status."""
    return ServiceError if status >= 500 else _BY_STATUS.get(status, ApiError)


class ItemEnded(CountersignError):
    """The item ended, and nobody decided it; `item` is its last state."""

    def __init__(self, message: str, item: Item) -> None:
        super().__init__(message)
        self.item = item


class ItemExpired(ItemEnded):
    """The deadline of the item passed without a decision."""

    code = "item_expired"


class ItemWithdrawn(ItemEnded):
    """The item was withdrawn before anyone decided it."""

    code = "item_withdrawn"


class ItemRejected(ItemEnded):
    """The item was rejected, but by no person: by routing, or by its deadline with `on_deadline="reject"`."""

    code = "item_rejected"


class WaitTimeout(CountersignError, TimeoutError):
    """The item was not final in time. It still waits for people: wait again, or withdraw it."""

    code = "wait_timeout"

    def __init__(self, item_id: str, seconds: float) -> None:
        super().__init__(f"Item {item_id} was not final within {seconds:g} s.")
        self.item_id = item_id
        self.paused_run: str | None = None
        """Of an agent that waited: what it goes on with, as `resume`."""


class OutputInvalid(CountersignError, ValueError):
    """The approved output does not fit `answer_model`; `decision` has it as it is."""

    code = "output_invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.decision: Decision | None = None


class SignatureInvalid(CountersignError):
    """A webhook is not genuine or not fresh: answer it with 400 or 401, and do not use its body."""

    code = "signature_invalid"
