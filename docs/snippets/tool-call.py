"""Asks people before an agent's tool call runs; they may change it or answer."""
import json, os, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ["COUNTERSIGN_URL"] + "/api/public/items"


def request(path: str, body: dict | None = None, headers: dict = {}) -> dict:
    headers = {
        "content-type": "application/json",
        "x-api-key": os.environ["COUNTERSIGN_API_KEY"],
        **headers,
    }
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(URL + path, data, headers), timeout=60) as answer:
            return json.load(answer)
    except HTTPError as problem:
        raise SystemExit(problem.read().decode())


def review(call: dict, key: str) -> dict:
    """Submits the call and waits for its decision. `key`: the agent's own id of the call."""
    item = request("", {
        "project_id": os.environ["COUNTERSIGN_PROJECT_ID"],
        "kind": "tool_call",
        "title": "Refund 24.90 EUR for order BM-20418",
        "input": {"customer": "The teapot arrived with a crack."},
        "suggestion": call,
        # Describes the arguments: people edit them in a form made from it.
        "answer_schema": {
            "type": "object",
            "required": ["order", "amount"],
            "additionalProperties": False,
            "properties": {
                "order": {"type": "string"},
                "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 500},
            },
        },
        "allowed_actions": ["approve", "edit", "reject", "respond"],
        "confidence": 0.83,
    }, {"idempotency-key": key})
    while item["status"] in ("queued", "escalated"):
        item = request(f"/{item['id']}?wait=30")
    return item


call = {"name": "issue_refund", "arguments": {"order": "BM-20418", "amount": 24.9}}
item = review(call, str(uuid.uuid4()))
decision = item["decision"] or {}

if decision.get("output"):
    # The arguments may be others than those that were suggested.
    output = decision["output"]
    print(item["id"], item["status"], "Run:", output["name"], json.dumps(output["arguments"]))
elif "response" in decision:  # where the action is "respond"
    print(item["id"], item["status"], "Do not run it, but tell the agent:", decision["response"])
else:
    print(item["id"], item["status"], "Do not run it:", decision.get("reason") or "no reason")
