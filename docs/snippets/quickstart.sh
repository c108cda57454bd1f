#!/bin/sh
# Asks people before a refund, and waits for what they decide.
set -eu
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
items=$COUNTERSIGN_URL/api/public/items

request() {
  curl -sS --fail-with-body --retry 5 --retry-connrefused -m 90 -o "$answer" \
    -H "x-api-key: $COUNTERSIGN_API_KEY" "$@" || { cat "$answer" >&2; exit 1; }
}
member() { grep -o "\"$1\":\"[^\"]*\"" "$answer" | head -n 1 | cut -d '"' -f 4; }

# One idempotency key for one piece of work: sent again, it is the same item.
request "$items" -H 'idempotency-key: ticket-7' \
  -H 'content-type: application/json' -d @- <<JSON
{
  "project_id": "$COUNTERSIGN_PROJECT_ID",
  "input": { "customer": "The teapot arrived with a crack." },
  "suggestion": { "order": "BM-20418", "amount": 24.9 },
  "confidence": 0.83
}
JSON
id=$(member id)
while case $(member status) in queued | escalated) ;; *) false ;; esac; do
  sleep 1 # where too many requests wait, the answer comes at once
  request "$items/$id?wait=60"
done
case $(member status) in
  *approved) echo "Refund what decision.output says: $(cat "$answer")" ;;
  *) echo "Do not refund: $(cat "$answer")" ;;
esac
