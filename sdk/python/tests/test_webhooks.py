"""Webhooks: genuine and fresh ones are accepted, in both schemes and during rotations; nothing else is."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import random
from datetime import datetime, timezone
from typing import Any

import django.conf
import django.http
import flask
import pytest
import standardwebhooks
import standardwebhooks.webhooks
from fake import DECISION, ITEM_ID, PROJECT_ID
from starlette.applications import Starlette
from starlette.requests import Request  # noqa: TC002
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from werkzeug.test import EnvironBuilder

from countersign import SignatureInvalid, webhooks

NOW = 1_795_183_200
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(range(1, 33))).decode()
EVENT: dict[str, Any] = {
    "event": "item.decided",
    "item_id": ITEM_ID,
    "project_id": PROJECT_ID,
    "status": "approved",
    "decision": DECISION,
    "reviewer_id": DECISION["reviewer_id"],
    "decided_at": DECISION["decided_at"],
}
BODY = json.dumps(EVENT).encode()


def hex_of(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_of(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def sign(
    body: bytes = BODY, secrets: tuple[str, ...] = (SECRET,), timestamp: int | str = NOW, id: str = "evt_1"
) -> dict[str, str]:
    """The headers of the service, with the first secret in the first place."""
    headers = {
        "X-Webhook-Signature": hex_of(secrets[0], body),
        "Webhook-Id": id,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": " ".join(standard_of(one, f"{id}.{timestamp}.".encode() + body) for one in secrets),
        "X-Webhook-Attempt": "1",
    }
    if len(secrets) > 1:
        headers["X-Webhook-Signature-Secondary"] = hex_of(secrets[1], body)
    return headers


def without(headers: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in names}


TRIO = ("webhook-id", "webhook-timestamp", "webhook-signature")
HEXES = ("x-webhook-signature", "x-webhook-signature-secondary")


def accepts(headers: dict[str, str], secret: Any = SECRET, body: bytes = BODY, **options: Any) -> bool:
    try:
        webhooks.verify(body, headers, secret, **{"now": NOW, **options})
    except SignatureInvalid:
        return False
    return True


def test_returns_the_event() -> None:
    event = webhooks.verify(BODY, sign(), SECRET, now=NOW)
    assert (event.id, event.event, event.item_id, event.status) == ("evt_1", "item.decided", ITEM_ID, "approved")
    assert event.decision is not None
    assert (event.decision.output, event.cursor, event.raw) == ({"text": "Yes"}, None, EVENT)


@pytest.mark.parametrize(
    "body",
    [
        {"event": "webhook.test", "project_id": PROJECT_ID, "sent_at": "2026-11-27T12:00:00Z"},
        {"event": "project.attention", "project_id": PROJECT_ID, "project_name": "P", "findings": []},
        {**EVENT, "event": "item.expired", "decision": None, "status": "expired", "reviewer_id": None},
        {**EVENT, "event": "something.newer", "more": 1},
    ],
)
def test_takes_every_event(body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    event = webhooks.verify(data, sign(data), SECRET, now=NOW)
    assert (event.event, event.raw) == (body["event"], body)


def test_each_scheme_suffices_and_each_that_is_there_must_hold() -> None:
    assert accepts(without(sign(), *TRIO))
    assert accepts(without(sign(), *HEXES))
    assert not accepts(without(sign(), *TRIO, *HEXES))
    assert not accepts({**without(sign(), *HEXES), "x-webhook-signature": hex_of(OTHER, BODY)})
    assert not accepts({**without(sign(), "webhook-signature"), "webhook-signature": ""})
    assert not accepts(without(sign(), "webhook-id"))
    assert not accepts(without(sign(), "webhook-timestamp"))
    assert not accepts(without(sign(), *TRIO), require_timestamp=True)
    assert accepts(sign(), require_timestamp=True)


def test_a_body_alone_has_an_id_of_its_own() -> None:
    plain = without(sign(), *TRIO)
    one = webhooks.verify(BODY, plain, SECRET, now=NOW)
    # An unsigned ID would let anyone send the same body as another event.
    assert webhooks.verify(BODY, {**plain, "webhook-id": "evt_2"}, SECRET, now=NOW).id == one.id
    assert one.id == f"sha256:{hashlib.sha256(BODY).hexdigest()}"


@pytest.mark.parametrize("age", [-301, -300, 0, 300, 301])
def test_a_timestamp_may_be_300_seconds_off(age: int) -> None:
    assert accepts(sign(timestamp=NOW - age)) == (abs(age) <= 300)
    assert accepts(sign(timestamp=NOW - age), tolerance=10) == (abs(age) <= 10)


@pytest.mark.parametrize("timestamp", ["", "x", "1e9", "-1", f" {NOW}", f"{NOW}.0", "9" * 13, "١٧٩٥١٨٣٢٠٠"])
def test_a_timestamp_that_is_none_is_refused(timestamp: str) -> None:
    assert not accepts(sign(timestamp=timestamp))


@pytest.mark.parametrize("id", ["", " ", "a b", "a\n", "ä", "x" * 257])
def test_an_id_that_is_none_is_refused(id: str) -> None:
    assert not accepts(sign(id=id))


def test_an_id_that_no_text_can_be_is_refused() -> None:
    assert not accepts({**sign(), "Webhook-Id": "\udcff"})


@pytest.mark.parametrize("id", ["!", "~", "x" * 256])
def test_any_printable_id_is_taken(id: str) -> None:
    assert webhooks.verify(BODY, sign(id=id), SECRET, now=NOW).id == id


@pytest.mark.parametrize("sender", [(SECRET,), (SECRET, OTHER), (OTHER, SECRET), (OTHER,)])
@pytest.mark.parametrize("receiver", [SECRET, [SECRET], [SECRET, OTHER], [OTHER]])
def test_a_rotation_holds_where_one_secret_is_common(sender: tuple[str, ...], receiver: str | list[str]) -> None:
    known = [receiver] if isinstance(receiver, str) else receiver
    assert accepts(sign(secrets=sender), receiver) == bool(set(sender) & set(known))


@pytest.mark.parametrize(
    "changes",
    [
        {"X-Webhook-Signature": hex_of(SECRET, BODY).upper()},
        {"X-Webhook-Signature": hex_of(SECRET, BODY)[:-2]},
        {"X-Webhook-Signature": ""},
        {"X-Webhook-Signature": "ä" * 64},
        {"X-Webhook-Signature": hex_of(SECRET, BODY) + "\n"},
        {"Webhook-Signature": "v1,"},
        {"Webhook-Signature": "v1"},
        {"Webhook-Signature": "v1,ä"},
        {"Webhook-Signature": standard_of(SECRET, b"evt_1.") + "A"},
        {"Webhook-Signature": standard_of(SECRET, f"evt_1.{NOW}.".encode() + BODY).replace("v1", "v2")},
        {"Webhook-Signature": standard_of(SECRET, f"evt_1.{NOW}.".encode() + BODY).removesuffix("=")},
        {"Webhook-Id": "evt_2"},
        {"Webhook-Timestamp": str(NOW + 1)},
    ],
)
def test_a_changed_header_is_refused(changes: dict[str, str]) -> None:
    assert not accepts({**sign(), **changes})


def test_a_changed_body_is_refused() -> None:
    assert not accepts(sign(), body=BODY.replace(b"approved", b"rejected"))
    assert not accepts(without(sign(), *HEXES), body=BODY + b" ")


@pytest.mark.parametrize(
    "body", [b"", b"x", b"[]", b"{}", b'{"event":3}', b'{"event":"a","x":NaN}', b"[" * 100_000, b"\xff"]
)
def test_a_signed_body_that_is_no_event_is_refused(body: bytes) -> None:
    assert not accepts(without(sign(body), *TRIO), body=body)


@pytest.mark.parametrize("body", [BODY.decode(), EVENT])
def test_a_parsed_body_is_an_error_of_the_program(body: Any) -> None:
    with pytest.raises(TypeError, match="bytes that arrived"):
        webhooks.verify(body, sign(), SECRET, now=NOW)


@pytest.mark.parametrize("secret", ["", [], [""], "whsec_", "whsec_!", [SECRET, ""]])
def test_an_empty_secret_is_an_error_of_the_program(secret: Any) -> None:
    with pytest.raises(ValueError, match="signing secret"):
        webhooks.verify(BODY, sign(), secret, now=NOW)


def vectors() -> list[tuple[str, str, dict[str, str], bytes]]:
    """200 messages of Standard Webhooks, good and bad, always the same."""
    chance = random.Random(31)
    made = []
    for number in range(200):
        secret = "whsec_" + base64.b64encode(chance.randbytes(chance.choice([24, 32, 48, 64]))).decode()
        data = {**EVENT, "note": chance.choice(["", "ü", "𝄞", '"\\', "a.b"]) * chance.randrange(9)}
        body = json.dumps(data, ensure_ascii=chance.random() < 0.5).encode()
        id, timestamp = f"evt_{chance.randrange(10**9)}", NOW + chance.choice([-300, -299, -1, 0, 1, 299, 300])
        kind = (
            "good"
            if number % 2 == 0
            else chance.choice(
                ["body", "id", "timestamp", "secret", "version", "missing", "old", "new", "cut", "empty"]
            )
        )
        if kind in ("old", "new"):
            timestamp = NOW + chance.choice([301, 302, 3600]) * (-1 if kind == "old" else 1)
        signature = standard_of(secret, f"{id}.{timestamp}.".encode() + body)
        others = [standard_of(OTHER, b"x") for _ in range(chance.randrange(3))]
        headers = {"webhook-id": id, "webhook-timestamp": str(timestamp)}
        headers["webhook-signature"] = " ".join(sorted([*others, signature], key=lambda _: chance.random()))
        made.append((kind, *spoiled(kind, chance, secret, headers, body, signature)))
    return made


def spoiled(
    kind: str, chance: random.Random, secret: str, headers: dict[str, str], body: bytes, signature: str
) -> tuple[str, dict[str, str], bytes]:
    """The message with the fault that its kind names."""
    if kind == "body":
        body = body.replace(b"approved", b"rejected")
    elif kind == "id":
        headers["webhook-id"] += "0"
    elif kind == "timestamp":
        headers["webhook-timestamp"] = str(NOW + 7)
    elif kind == "secret":
        secret = OTHER
    elif kind == "version":
        headers["webhook-signature"] = signature.replace("v1,", chance.choice(["v2,", "v1a,", "V1,"]))
    elif kind == "missing":
        del headers[chance.choice(sorted(headers))]
    elif kind == "cut":
        headers["webhook-signature"] = signature[:-4]
    elif kind == "empty":
        headers[chance.choice(sorted(headers))] = ""
    return secret, headers, body


class _Now(datetime):
    """The clock of the other package."""

    @classmethod
    def now(cls, tz: Any = None) -> _Now:
        return cls.fromtimestamp(NOW, tz=tz or timezone.utc)


def test_agrees_with_standardwebhooks_on_200_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standardwebhooks.webhooks, "datetime", _Now)
    found = set()
    for kind, secret, headers, body in vectors():
        try:
            standardwebhooks.Webhook(secret).verify(body, headers)
            theirs = True
        except Exception:
            theirs = False
        assert accepts(headers, secret, body) is theirs is (kind == "good"), (kind, headers)
        found.add(kind)
    assert len(found) == 11


def test_takes_a_request_of_starlette_and_fastapi() -> None:
    async def receive(request: Request) -> Response:
        event = await webhooks.verify_starlette(request, SECRET, now=NOW)
        return PlainTextResponse(event.id)

    app = Starlette(routes=[Route("/", receive, methods=["POST"])])
    headers = [(name.lower().encode(), value.encode()) for name, value in sign().items()]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
    sent: list[Any] = []

    async def receive_body() -> dict[str, Any]:
        return {"type": "http.request", "body": BODY, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive_body, send))
    assert (sent[0]["status"], sent[1]["body"]) == (200, b"evt_1")


def test_takes_a_request_of_flask() -> None:
    app = flask.Flask(__name__)

    @app.post("/")
    def receive() -> str:
        return webhooks.verify_flask(flask.request, SECRET, now=NOW).id

    answer = app.test_client().post("/", data=BODY, headers=sign())
    assert (answer.status_code, answer.text) == (200, "evt_1")


def test_takes_a_request_of_django() -> None:
    if not django.conf.settings.configured:
        django.conf.settings.configure()
    from django.core.handlers.wsgi import WSGIRequest

    environ = EnvironBuilder(method="POST", data=BODY, headers=list(sign().items())).get_environ()
    assert webhooks.verify_django(WSGIRequest(environ), SECRET, now=NOW).id == "evt_1"
