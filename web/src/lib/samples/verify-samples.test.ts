// The verification code that the page shows: journey tests run docs/snippets, this file runs the library's few lines.
import { signWebhook } from '@countersign/shared/webhook';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { VERIFY_SAMPLES } from './code-samples.ts';

const codeIn = (language: string) => VERIFY_SAMPLES.find((sample) => sample.language === language)?.code ?? '';

it.each([
  ['TypeScript', 'verify.ts'],
  ['Python', 'verify.py'],
])('%s is the file that the tests run', (language, file) => {
  expect(codeIn(language)).toBe(readFileSync(join(import.meta.dirname, '../../../../docs/snippets', file), 'utf8'));
});

it('standardwebhooks accepts recent signatures of either secret, and nothing else', async () => {
  const secrets = [
    'whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=',
    'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=',
  ] as const;
  const now = Math.floor(Date.now() / 1000);
  const body = '{"event":"item.decided","note":"é"}';
  const verifies = async (secret: string, sent: string, timestamp = now): Promise<boolean> => {
    vi.stubEnv('COUNTERSIGN_WEBHOOK_SECRET', secret);
    const found = import.meta.resolve('standardwebhooks');
    const code = stripTypeScriptTypes(codeIn('standardwebhooks')).replace("'standardwebhooks'", `'${found}'`);
    // A fresh module each time: the code reads its secret when it loads.
    const unique = `${code}\n// ${secret} ${sent} ${timestamp}`;
    const pasted = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(unique)}`)) as {
      verified: (body: string, headers: Record<string, string>) => { event: string };
    };
    vi.unstubAllEnvs();
    const headers = await signWebhook({ id: 'evt_1', timestamp, attempt: 1, body }, secrets);
    try {
      return pasted.verified(sent, headers).event === 'item.decided';
    } catch {
      return false;
    }
  };
  expect(await verifies(secrets[0], body)).toBe(true);
  expect(await verifies(secrets[1], body)).toBe(true);
  expect(await verifies('whsec_b3RoZXI=', body)).toBe(false);
  expect(await verifies(secrets[0], `${body} `)).toBe(false);
  expect(await verifies(secrets[0], body, now - 400)).toBe(false);
});
