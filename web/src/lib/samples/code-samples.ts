// Code samples that work when pasted: submitting with a key or by an inbound source, and verifying webhooks.
import verifyPython from '../../../../docs/snippets/verify.py?raw';
import verifyTypeScript from '../../../../docs/snippets/verify.ts?raw';

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

/**
 * One submission to an inbound source by curl, signed with its secret by openssl. The body is in a variable, so that the signed
 * and the sent bytes are the same.
 */
export function inboundSample({ url, secret }: { url: string; secret: string }): CodeSample {
  const body = JSON.stringify(BODY, null, 2).replaceAll("'", `'\\''`);
  const code = `secret='${secret}'
body='${body}'
signature=$(printf %s "$body" | openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1)
curl ${url} \\
  -H 'content-type: application/json' \\
  -H "x-webhook-signature: $signature" \\
  --data-binary "$body"`;
  return { language: 'curl', code };
}

/** The same check by a package of https://www.standardwebhooks.com, which exists for many languages. */
const LIBRARY = `// npm install standardwebhooks
import { Webhook } from 'standardwebhooks';

const { COUNTERSIGN_WEBHOOK_SECRET: SECRET = '' } = process.env;
const webhook = new Webhook(SECRET);

/**
 * \`body\`: the text as it arrived, before any JSON parsing. Throws unless it is
 * genuine and at most five minutes old.
 */
export function verified(body: string, headers: Record<string, string>) {
  return webhook.verify(body, headers) as { event: string };
}
// Then drop a webhook-id that you have seen, and answer 2xx.`;

/** Receivers that verify: the programs of docs/snippets, exactly as the tests run them, and the library for the scheme. */
export const VERIFY_SAMPLES: readonly CodeSample[] = [
  { language: 'TypeScript', code: verifyTypeScript },
  { language: 'Python', code: verifyPython },
  { language: 'standardwebhooks', code: LIBRARY },
];
