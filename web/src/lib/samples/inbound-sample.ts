// Builds a ready command for an inbound source: one submission, signed with its secret by openssl, sent by curl.
import type { CodeSample } from './submit-samples.ts';

/** A first item that routing sends to people under the default thresholds. */
const BODY = {
  input: { question: 'How many slices are left of a pizza with 12?' },
  suggestion: 'There are 5 slices left.',
  confidence: 0.81,
};

/** The body is in a variable, so that the signed and the sent bytes are the same. */
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
