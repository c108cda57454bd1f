"""Submits one item: safe to repeat, retries while the service is unavailable."""
import json, os, time, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ["COUNTERSIGN_URL"] + "/api/public/items"


def submit(item: dict, key: str | None = None) -> dict:
    """One `key` for one piece of work: sent again, it makes no second item."""
    project = {"project_id": os.environ["COUNTERSIGN_PROJECT_ID"]}
    body = json.dumps({**project, **item}).encode()
    headers = {
        "content-type": "application/json",
        "x-api-key": os.environ["COUNTERSIGN_API_KEY"],
        "idempotency-key": key or str(uuid.uuid4()),
    }
    attempt = 1
    while True:
        try:
            with urlopen(Request(URL, body, headers), timeout=30) as answer:
                return json.load(answer)
        except HTTPError as problem:
            text = problem.read().decode()
            passes = problem.code in (408, 429) or problem.code >= 500
            if not (passes or "in_progress" in text) or attempt == 5:
                raise SystemExit(text)
            time.sleep(float(problem.headers.get("retry-after", attempt)))
        except OSError:  # no answer: ask again
            if attempt == 5:
                raise
            time.sleep(attempt)
        attempt += 1


item = submit({
    "input": {"question": "Can I get my money back after 40 days?"},
    "suggestion": "Yes, within 60 days of delivery.",
    "confidence": 0.83,
    "risk_flags": ["refund"],
    "metadata": {"model": "answers-2"},
})

if item["status"] in ("auto_approved", "approved"):
    print(item["id"], item["status"], "Ship:", item["decision"]["output"])
elif item["status"] in ("queued", "escalated"):
    print(item["id"], item["status"], "Wait: people decide, a webhook tells you.")
else:  # rejected; to a repeat also escalated_final
    print(item["id"], item["status"], "Do not ship it.")
