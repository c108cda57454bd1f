"""Asks people before a refund, and waits for what they decide."""
from countersign import Countersign

with Countersign() as client:
    result = client.review(
        input={"customer": "The teapot arrived with a crack."},
        suggestion={"order": "BM-20418", "amount": 24.9},
        confidence=0.83,
        idempotency_key="ticket-7",  # run again, it is the same item
    )

if result.approved:
    print("Refund", result.output)
else:
    reason = result.decision.reason if result.decision else result.status
    print("Do not refund:", reason)
