#!/bin/sh
# Submits one item: safe to repeat, retries while the service is unavailable.
set -eu

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# One idempotency key for one piece of work: --retry sends it again after
# Retry-After, and no second item is made.
curl -sS --fail-with-body --retry 5 --retry-connrefused -m 60 -o "$answer" \
  "$COUNTERSIGN_URL/api/public/items" \
  -H "x-api-key: $COUNTERSIGN_API_KEY" \
  -H "idempotency-key: $(openssl rand -hex 16)" \
  -H 'content-type: application/json' \
  -d @- <<JSON || { cat "$answer" >&2; exit 1; }
{
  "project_id": "$COUNTERSIGN_PROJECT_ID",
  "input": { "question": "Can I get my money back after 40 days?" },
  "suggestion": "Yes, within 60 days of delivery.",
  "confidence": 0.83,
  "risk_flags": ["refund"],
  "metadata": { "model": "answers-2" }
}
JSON

cat "$answer"
case $(grep -o '"status":"[a-z_]*"' "$answer" | head -n 1) in
  *approved*) echo ' Ship decision.output.' ;;
  *queued* | *'escalated"') echo ' Wait: people decide, a webhook tells you.' ;;
  *) echo ' Do not ship it.' ;;
esac
