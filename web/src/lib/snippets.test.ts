// What people paste works: the body is one submission, quoted for its shell, and the verifying code verifies.
import { signWebhook } from '@countersign/shared/webhook';
import { submission } from '@countersign/shared/api/public';
import { stripTypeScriptTypes } from 'node:module';
import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { submitSamples, VERIFY_SAMPLES } from './snippets.ts';

const GIVEN = {
  baseUrl: 'http://localhost:3000',
  projectId: '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1',
  apiKey: 'csk_4tVq8ZbN1mXr6KpWd3YhLs9JcFgT2uQe7a0RkBx1Yz23',
};
const codeIn = (samples: readonly { language: string; code: string }[], language: string) =>
  samples.find((sample) => sample.language === language)?.code ?? '';

describe('the ready command', () => {
  const curl = codeIn(submitSamples(GIVEN), 'curl');

  it('hands curl one submission the contract accepts', () => {
    // The shell itself takes the command apart; `curl` is replaced by something that prints its last argument.
    const printed = execFileSync('sh', ['-c', `curl() { for a in "$@"; do :; done; printf %s "$a"; }; ${curl}`]);
    expect(submission.parse(JSON.parse(printed.toString()))).toMatchObject({ project_id: GIVEN.projectId });
  });

  it('carries the key and the address in every language', () => {
    for (const { code } of submitSamples(GIVEN)) {
      expect(code).toContain(GIVEN.apiKey);
      expect(code).toContain('http://localhost:3000/api/public/items');
    }
  });
});

describe('the verifying code', () => {
  const SECRETS = [
    'whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=',
    'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=',
  ] as const;
  const message = { id: 'evt_1', timestamp: 1_795_000_000, attempt: 1, body: '{"event":"item.decided","note":"é"}' };

  async function holds(secret: string, body: string): Promise<boolean> {
    const code = stripTypeScriptTypes(codeIn(VERIFY_SAMPLES, 'TypeScript'));
    vi.stubEnv('WEBHOOK_SECRET', secret);
    // A fresh module each time: the snippet reads its secret when it is loaded.
    const unique = `${code}\n// ${secret} ${Math.random()}`;
    const pasted = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(unique)}`)) as {
      isOurs: (body: Buffer, headers: Record<string, string>) => boolean;
    };
    vi.unstubAllEnvs();
    return pasted.isOurs(Buffer.from(body), await signWebhook(message, SECRETS));
  }

  it('accepts what either secret signed and nothing else', async () => {
    expect(await holds(SECRETS[0], message.body)).toBe(true);
    expect(await holds(SECRETS[1], message.body)).toBe(true);
    expect(await holds('whsec_b3RoZXI=', message.body)).toBe(false);
    expect(await holds(SECRETS[0], `${message.body} `)).toBe(false);
  });
});
