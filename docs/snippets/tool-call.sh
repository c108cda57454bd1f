#!/bin/sh
# Asks people before an agent's tool call runs; they may change it or answer.
set -eu

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

request() {
  path=$1
  shift
  curl -sS --fail-with-body --retry 5 -m 60 -o "$answer" \
    "$COUNTERSIGN_URL/api/public/items$path" \
    -H "x-api-key: $COUNTERSIGN_API_KEY" "$@" || { cat "$answer" >&2; exit 1; }
}
member() { grep -o "\"$1\":\"[^\"]*\"" "$answer" | head -n 1 | cut -d '"' -f 4; }

# The schema describes the arguments: people edit them in a form made from it.
request '' -H "idempotency-key: $(openssl rand -hex 16)" \
  -H 'content-type: application/json' -d @- <<JSON
{
  "project_id": "$COUNTERSIGN_PROJECT_ID",
  "kind": "tool_call",
  "title": "Refund 24.90 EUR for order BM-20418",
  "input": { "customer": "The teapot arrived with a crack." },
  "suggestion": {
    "name": "issue_refund",
    "arguments": { "order": "BM-20418", "amount": 24.9 }
  },
  "answer_schema": {
    "type": "object",
    "required": ["order", "amount"],
    "additionalProperties": false,
    "properties": {
      "order": { "type": "string" },
      "amount": { "type": "number", "exclusiveMinimum": 0, "maximum": 500 }
    }
  },
  "allowed_actions": ["approve", "edit", "reject", "respond"],
  "confidence": 0.83
}
JSON
id=$(member id)

while :; do
  case $(member status) in
    queued | escalated) request "/$id?wait=30" ;;
    *) break ;;
  esac
done

# The decision comes before what was submitted, and its action third.
decision=$(grep -o '"decision":{.*' "$answer" | sed 's/,"input":.*//' || true)
case $(printf %s "$decision" | cut -d , -f 1-3) in
  *'"action":"respond"') words='Do not run it, but tell the agent:' ;;
  *'"status":"approved"'*) words='Run decision.output:' ;;
  *) words='Do not run it:' ;;
esac
printf '%s %s %s %s\n' "$id" "$(member status)" "$words" "$decision"
