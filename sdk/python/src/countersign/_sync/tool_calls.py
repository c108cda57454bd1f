"""Submits tool calls together, and waits for all of them."""

# Generated from _async/tool_calls.py by tools/generate_sync.py: change that file.

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import ApiError, ItemEnded, WaitTimeout
from .._review import seconds_of
from .._tool_calls import DEFAULT_CONFIDENCE, CallToReview, Outcome, keep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from .._models import Submitted
    from .._submission import SubmissionOptions
    from .client import Countersign

FORM_REFUSED = frozenset({"schema_invalid", "idempotency_key_reused"})


def review_calls(
    client: Countersign,
    calls: Sequence[CallToReview],
    *,
    timeout: float | timedelta | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    submission_options: SubmissionOptions | None = None,
) -> list[Outcome]:
    """Submits all calls before it waits for any: people see them at once. Outcomes in the order of the calls.

    Errors: `WaitTimeout`, after which the items still wait: the same calls again go on with them.
    """
    until = client.now() + seconds_of(timeout)
    submitted = [_submit(client, call, confidence, submission_options or {}) for call in calls]
    outcomes: list[Outcome] = []
    for item in submitted:
        status, decision = item.status, item.decision
        if decision is None:
            try:
                decision = client.wait(item.id, timeout=max(0.0, until - client.now()))
                status = decision.status
            except ItemEnded as end:
                status = end.item.status
        outcomes.append(Outcome(item_id=item.id, status=status, decision=decision))
    return outcomes


def _submit(
    client: Countersign, call: CallToReview, confidence: float, options: SubmissionOptions
) -> Submitted:
    """Submits a call; without its form where the service cannot read the schema of the tool, which checks it itself.

    Without its form too where the call was submitted so before: an earlier version found fewer forms.
    """
    arguments = call.submit_arguments(confidence, options)
    try:
        return client.submit(**arguments)
    except ApiError as error:
        if error.code not in FORM_REFUSED or "answer_schema" in options or arguments["answer_schema"] is None:
            raise
        arguments["answer_schema"] = None
        return client.submit(**arguments)


def review_paused(
    client: Countersign,
    run: str,
    calls: Sequence[CallToReview],
    *,
    save: Callable[[str], object] | None,
    timeout: float | timedelta | None,
    confidence: float,
    submission_options: SubmissionOptions | None,
) -> list[Outcome]:
    """Stores a paused run before its calls are reviewed. Errors: `WaitTimeout` with the run; those of `submit`."""
    keep(save, run)
    try:
        return review_calls(
            client, calls, timeout=timeout, confidence=confidence, submission_options=submission_options
        )
    except WaitTimeout as error:
        error.paused_run = run
        raise
