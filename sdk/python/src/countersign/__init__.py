"""Ask people before a pipeline or an agent acts: the client of the Countersign human-review service.

```python
from countersign import Countersign

with Countersign() as client:
    result = client.review(input=question, suggestion=answer, confidence=0.83, timeout=900)
    if result.approved:
        send(result.output)
```
"""

from . import webhooks
from ._async.client import AsyncCountersign
from ._errors import (
    ApiError,
    AuthenticationError,
    BadRequest,
    ConfigurationError,
    Conflict,
    CountersignError,
    FieldError,
    ItemEnded,
    ItemExpired,
    ItemRejected,
    ItemWithdrawn,
    NetworkError,
    NotFound,
    OutputInvalid,
    PayloadTooLarge,
    PermissionDenied,
    RateLimited,
    ServiceError,
    SignatureInvalid,
    UnexpectedAnswer,
    ValidationFailed,
    WaitTimeout,
)
from ._models import (
    AnswerFault,
    BatchResult,
    Decision,
    Event,
    Item,
    ReviewResult,
    Routing,
    Submitted,
)
from ._outputs import parse_output
from ._retry import Clock, RetryPolicy
from ._schema import json_schema_of
from ._submission import Action, Kind, OnDeadline, Submission, SubmissionOptions
from ._sync.client import Countersign

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AnswerFault",
    "ApiError",
    "AsyncCountersign",
    "AuthenticationError",
    "BadRequest",
    "BatchResult",
    "Clock",
    "ConfigurationError",
    "Conflict",
    "Countersign",
    "CountersignError",
    "Decision",
    "Event",
    "FieldError",
    "Item",
    "ItemEnded",
    "ItemExpired",
    "ItemRejected",
    "ItemWithdrawn",
    "Kind",
    "NetworkError",
    "NotFound",
    "OnDeadline",
    "OutputInvalid",
    "PayloadTooLarge",
    "PermissionDenied",
    "RateLimited",
    "RetryPolicy",
    "ReviewResult",
    "Routing",
    "ServiceError",
    "SignatureInvalid",
    "Submission",
    "SubmissionOptions",
    "Submitted",
    "UnexpectedAnswer",
    "ValidationFailed",
    "WaitTimeout",
    "json_schema_of",
    "parse_output",
    "webhooks",
]
