"""Receives webhooks: takes what is genuine, fresh and new, and answers 204.
Anything else is 400."""
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["COUNTERSIGN_WEBHOOK_SECRET"]
TOLERANCE_SECONDS = 300
LONGEST_BODY = 4 * 1024 * 1024
# For real: a unique column in your database, in the transaction that uses
# the decision.
seen: set[str] = set()
# The revision that was used last, by item.
used: dict[str, int] = {}
EVENTS = ("item.decided", "decision.revised", "item.expired", "item.withdrawn")


def is_genuine(body: bytes, headers) -> bool:
    """`body`: the bytes as they arrived, before any JSON parsing."""
    id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    plain = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    standard = "v1," + base64.b64encode(digest).decode()
    # The second place of each is filled while a new secret is being rolled in.
    names = ("x-webhook-signature", "x-webhook-signature-secondary")
    plains = [headers.get(name, "") for name in names]
    standards = headers.get("webhook-signature", "").split()
    return (
        any(is_same(given, plain) for given in plains)
        and any(is_same(given, standard) for given in standards)
        and abs(time.time() - float(timestamp)) <= TOLERANCE_SECONDS
    )


def is_same(given: str, expected: str) -> bool:
    """Takes the same time wherever the texts differ."""
    return hmac.compare_digest(given.encode(), expected.encode())


def use(event) -> None:
    """Every event about an item: the last revision wins, in any order."""
    if event["event"] not in EVENTS:
        return  # such as a test event, which has nothing to use
    item, decision = event["item_id"], event["decision"]
    # A first decision has no revision. Nobody decided what has no decision.
    revision = 0 if decision is None else decision.get("revision", 1)
    if revision <= used.get(item, -1):
        return
    used[item] = revision
    print(item, event["status"], decision and decision["output"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= LONGEST_BODY:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_genuine(body, self.headers):
            return self.answer(400)
        if self.headers["webhook-id"] not in seen:
            use(json.loads(body))
            seen.add(self.headers["webhook-id"])
        self.answer(204)  # a repeat is answered like the first

    def answer(self, status: int):
        self.send_response(status)
        self.end_headers()


port = int(os.environ.get("PORT", 4000))
ThreadingHTTPServer(("", port), Receiver).serve_forever()
