"""Has so many suggestions reviewed, however often it is killed: `worker.py COUNT JOURNAL`.

The journal has one line per finished review. A run goes on where the one before was killed: the idempotency key of a
suggestion is always the same.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from countersign import Countersign

count, journal = int(sys.argv[1]), Path(sys.argv[2])
file = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
done = {json.loads(line)["number"] for line in journal.read_text("utf-8").splitlines()}


def finish(client: Countersign, number: int) -> None:
    """Every second one by `review`, the others step by step."""
    key = f"suggestion {number}"
    suggestion = f"suggested {number}"
    if number % 2:
        result = client.review(input={"number": number}, suggestion=suggestion, confidence=0.8, idempotency_key=key)
        item_id, decision = result.item_id, result.decision
    else:
        item_id = client.submit(input={"number": number}, suggestion=suggestion, confidence=0.8, idempotency_key=key).id
        print("submitted", number, flush=True)
        decision = client.wait(item_id)
    assert decision is not None
    line = {"number": number, "id": item_id, "action": decision.action, "output": decision.output}
    # One call for the whole line: a kill leaves no half of it.
    os.write(file, (json.dumps(line) + "\n").encode())
    print("finished", number, flush=True)


with Countersign() as client, ThreadPoolExecutor(8) as pool:
    for future in [pool.submit(finish, client, number) for number in range(count) if number not in done]:
        future.result()
