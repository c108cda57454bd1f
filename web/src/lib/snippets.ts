// Code that works when pasted: submitting an item with a key, and verifying a webhook, in the languages pipelines are written in.

export interface CodeSample {
  language: string;
  code: string;
}

interface Submission {
  baseUrl: string;
  projectId: string;
  apiKey: string;
}

/** A first item that routing sends to people under the default thresholds. */
const BODY = {
  input: { question: 'How many slices are left of a pizza with 12?' },
  suggestion: 'There are 5 slices left.',
  confidence: 0.81,
};

/** One submission, as curl, TypeScript and Python. */
export function submitSamples({ baseUrl, projectId, apiKey }: Submission): CodeSample[] {
  const url = `${baseUrl}/api/public/items`;
  const body = JSON.stringify({ project_id: projectId, ...BODY }, null, 2);
  return [
    { language: 'curl', code: curl(url, apiKey, body) },
    { language: 'TypeScript', code: typescript(url, apiKey, body) },
    { language: 'Python', code: python(url, apiKey, body) },
  ];
}

const curl = (url: string, apiKey: string, body: string): string => `curl ${url} \\
  -H 'content-type: application/json' \\
  -H 'x-api-key: ${apiKey}' \\
  -d '${body.replaceAll('\n', '\n  ').replaceAll("'", `'\\''`)}'`;

const typescript = (url: string, apiKey: string, body: string): string => `const answer = await fetch('${url}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-api-key': '${apiKey}',
    'idempotency-key': crypto.randomUUID(), // keep it for retries
  },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
});
const { id, status, decision } = await answer.json();`;

const python = (url: string, apiKey: string, body: string): string => `import json, urllib.request, uuid

request = urllib.request.Request(
    "${url}",
    method="POST",
    headers={
        "content-type": "application/json",
        "x-api-key": "${apiKey}",
        "idempotency-key": str(uuid.uuid4()),  # keep it for retries
    },
    data=json.dumps(${body.replaceAll('\n', '\n    ')}).encode(),
)
answer = json.load(urllib.request.urlopen(request))
print(answer["id"], answer["status"])`;

/** Checking a delivery: the raw body, the header, constant time. The secret comes from the receiver's environment. */
export const VERIFY_SAMPLES: readonly CodeSample[] = [
  {
    language: 'TypeScript',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Record<string, string | undefined>;
const NAMES = ['x-webhook-signature', 'x-webhook-signature-secondary'];
const secret = process.env.WEBHOOK_SECRET ?? '';

/** rawBody: the bytes as they arrived, before any JSON parsing. */
export function isOurs(rawBody: Buffer, headers: Headers): boolean {
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return NAMES.some((name) => {
    const given = Buffer.from(headers[name] ?? '', 'hex');
    return given.length === 32 && timingSafeEqual(given, expected);
  });
}`,
  },
  {
    language: 'Python',
    code: `import hashlib, hmac, os

NAMES = ("x-webhook-signature", "x-webhook-signature-secondary")
SECRET = os.environ["WEBHOOK_SECRET"].encode()

def is_ours(raw_body: bytes, headers: dict[str, str]) -> bool:
    """raw_body: the bytes as they arrived, before any JSON parsing."""
    expected = hmac.new(SECRET, raw_body, hashlib.sha256).hexdigest()
    given = (headers.get(name, "") for name in NAMES)
    return any(hmac.compare_digest(each, expected) for each in given)`,
  },
];
