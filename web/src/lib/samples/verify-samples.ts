// Sample receivers that verify: the programs of docs/snippets, shown exactly as the tests run them, and the library for the
// scheme.
import verifyPython from '../../../../docs/snippets/verify.py?raw';
import verifyTypeScript from '../../../../docs/snippets/verify.ts?raw';
import type { CodeSample } from './submit-samples.ts';

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

export const VERIFY_SAMPLES: readonly CodeSample[] = [
  { language: 'TypeScript', code: verifyTypeScript },
  { language: 'Python', code: verifyPython },
  { language: 'standardwebhooks', code: LIBRARY },
];
