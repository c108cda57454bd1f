#!/bin/sh
# Receives webhooks as a CGI program: takes what is genuine, fresh and new,
# and answers 204; anything else is 400.
set -euf

body=$(mktemp)
trap 'rm -f "$body"' EXIT
cat >"$body" # the bytes as they arrived

answer() { printf 'Status: %s\r\n\r\n' "$1" && exit; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }

# Is any of the later arguments the first one? Compared blinded, so that the
# time it takes tells nothing.
blind=$(openssl rand -hex 32)
blinded() { printf %s "$1" | hmac "$blind" | hex; }
holds() {
  expected=$(blinded "$1") && shift
  for given; do [ "$(blinded "$given")" = "$expected" ] && return 0; done
  return 1
}

id=${HTTP_WEBHOOK_ID:-} timestamp=${HTTP_WEBHOOK_TIMESTAMP:-}
text_key=$(printf %s "$COUNTERSIGN_WEBHOOK_SECRET" | hex)
bytes_key=$(printf %s "${COUNTERSIGN_WEBHOOK_SECRET#whsec_}" |
  openssl base64 -d -A | hex)
plain=$(hmac "$text_key" <"$body" | hex)
standard=$({ printf '%s.%s.' "$id" "$timestamp" && cat "$body"; } |
  hmac "$bytes_key" | openssl base64 -A)

# The second place of each is filled while a new secret is being rolled in.
holds "$plain" "${HTTP_X_WEBHOOK_SIGNATURE:-}" \
  "${HTTP_X_WEBHOOK_SIGNATURE_SECONDARY:-}" || answer '400 Bad Request'
holds "v1,$standard" ${HTTP_WEBHOOK_SIGNATURE:-} || answer '400 Bad Request'

age=$(($(date +%s) - timestamp))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || answer '400 Bad Request'

# Every event about an item: the last revision wins, in any order. A first
# decision has no revision, and nobody decided what has no decision. The
# members of a body have a fixed order, so that no output can look like them.
use() {
  event=$(sed -n '1s/^{"event":"\([a-z.]*\)".*/\1/p' "$body")
  item=$(sed -n '1s/^{"event":"[a-z.]*","item_id":"\([0-9a-f-]*\)".*/\1/p' "$body")
  case $event in
  item.decided) revision=1 ;;
  item.expired | item.withdrawn) revision=0 ;;
  decision.revised)
    end='"revises":[^,{}]*},"reviewer_id":"[^"]*","decided_at":"[^"]*"}$'
    revision=$(sed -n '$s/.*"revision":\([0-9]*\),'"$end"'/\1/p' "$body")
    ;;
  *) return 0 ;; # such as a test event, which has nothing to use
  esac
  [ "$revision" -gt "$(cat "used/$item" 2>/dev/null || echo -1)" ] || return 0
  echo "$revision" >"used/$item"
  { cat "$body" && echo; } >>decisions.jsonl
}

# A repeat has the same id: it is answered like the first and does nothing.
mkdir -p seen used
[ -e "seen/$id" ] || use
: >"seen/$id"
answer '204 No Content'
