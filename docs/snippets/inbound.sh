#!/bin/sh
# Submits one item signed with the secret of a source, without an API key.
set -eu

body='{
  "input": { "question": "Can I get my money back after 40 days?" },
  "suggestion": "Yes, within 60 days of delivery.",
  "confidence": 0.83
}'
signature=$(printf %s "$body" |
  openssl dgst -sha256 -hmac "$COUNTERSIGN_INBOUND_SECRET" -r | cut -d ' ' -f 1)

# Sent again it answers 200 and does nothing: the same body is the same item.
curl -sS --fail-with-body --retry 5 "$COUNTERSIGN_INBOUND_URL" \
  -H "x-webhook-signature: $signature" \
  -H 'content-type: application/json' \
  -d "$body"
