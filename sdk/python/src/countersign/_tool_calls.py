"""Tool calls of agents of any framework: what is submitted, and what its outcome means to the agent."""

from __future__ import annotations

import hashlib
import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._readable_schema import readable_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ._models import Decision
    from ._submission import Action, SubmissionOptions

DEFAULT_CONFIDENCE = 0.7
"""The lowest confidence that the default settings of a project queue for people."""

ACTIONS: tuple[Action, ...] = ("approve", "edit", "reject", "respond")

NOT_RUN = {
    "expired": "Nobody reviewed this tool call before its deadline. It was not run.",
    "withdrawn": "The review of this tool call was withdrawn. It was not run.",
    "escalated_final": "Reviewers closed this tool call without approving it. It was not run.",
    "rejected": "This tool call was rejected. It was not run.",
}


def call_key(stop: str, call_id: str) -> str:
    """An idempotency key for a call at a stop of a run.

    The IDs of calls alone are not enough: some models number their calls, so that the next run has them again, and an
    approval of last week would hold for it.
    """
    key = f"{stop}:{call_id}"
    return key if len(key) <= 255 and key.isascii() and key.isprintable() else hashlib.sha256(key.encode()).hexdigest()


def read_arguments(arguments: object) -> dict[str, Any]:
    """The arguments that a model wrote, as an object; other text is shown as it is."""
    try:
        read = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        read = arguments
    return read if isinstance(read, dict) else {} if read is None else {"text": read}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallToReview:
    """A tool call that an agent may run only when a person allows it."""

    idempotency_key: str
    """Names this call of this run: submitted again, it is the same item."""
    name: str
    arguments: Mapping[str, Any]
    allowed: Sequence[Action] = ACTIONS
    """What the framework can take back."""
    arguments_schema: Mapping[str, Any] | None = None
    """The JSON Schema of the arguments, from which the form for edits is made; None: any object."""
    input: Any = None
    """What reviewers see beside the call."""

    def submit_arguments(self, confidence: float, options: SubmissionOptions) -> dict[str, Any]:
        """The arguments of `submit`; `options` win over what the call says, except its key."""
        schema = self.arguments_schema
        return {
            "input": self.input,
            "suggestion": {"name": self.name, "arguments": dict(self.arguments)},
            "confidence": confidence,
            "kind": "tool_call",
            "allowed_actions": [action for action in ACTIONS if action in self.allowed],
            # None is said too: the schema of the project describes its answers, not the arguments of a tool.
            "answer_schema": None if schema is None else readable_schema(dict(schema)),
            **options,
            "idempotency_key": self.idempotency_key,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the review of a tool call ended; `decision` is None where no person and no rule decided."""

    item_id: str
    status: str
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the agent does with a call."""

    action: Action
    arguments: dict[str, Any] | None = None
    """Of an edit: what to call the tool with."""
    message: str = ""
    """Of a rejection its reason, of a response its text: what the model is told."""


class UnknownInterrupt(TypeError):
    """The agent waits for something else than the review of a tool call."""


class AlreadyReleased(RuntimeError):
    """The reviewed calls of this stored run were handed to the agent: they may have run.

    Going on with it could run them twice. Look whether they ran, and start the agent anew if they did not.
    """


class DecisionNotAllowed(ValueError):
    """The agent's framework takes no such decision for this call; nothing was run."""


def verdict_of(outcome: Outcome, call: CallToReview) -> Verdict:
    """What the agent does with the call. Without an approval it does not run.

    Errors: `DecisionNotAllowed` for a decision that the call does not allow, such as a rejection at the
    deadline of a call that can only be approved.
    """
    verdict = _verdict(outcome)
    if verdict.action not in call.allowed:
        raise DecisionNotAllowed(
            f"The review of {call.name!r} ended as {outcome.status!r}, and its call allows only "
            f"{', '.join(call.allowed)}. Allow {verdict.action!r} for this tool."
        )
    return verdict


def _verdict(outcome: Outcome) -> Verdict:
    decision: Action
    made = outcome.decision
    if made is not None and made.approved:
        decision = "edit" if made.edited else "approve"
        return Verdict(decision, dict(made.output["arguments"]) if made.edited else None)
    if made is not None and made.response is not None:
        return Verdict("respond", message=made.response)
    reason = None if made is None else made.reason
    return Verdict("reject", message=reason or NOT_RUN.get(outcome.status, NOT_RUN["rejected"]))


async def akeep(save: Callable[[str], object] | None, text: str) -> None:
    """Stores a paused run, and returns once it is stored."""
    if save is not None:
        stored = save(text)
        if inspect.isawaitable(stored):
            await stored


def keep(save: Callable[[str], object] | None, text: str) -> None:
    """The same, for a function alone. Errors: `TypeError` for `async def`, which nobody would await."""
    if save is not None and inspect.isawaitable(save(text)):
        raise TypeError("`save` is `async def`: use `arun_with_review`, or pass a function.")
