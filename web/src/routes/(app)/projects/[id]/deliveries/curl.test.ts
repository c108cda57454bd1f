// The copied command is run: a shell parses it, curl sends it, and the delivered bytes arrive.
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { verifyWebhook } from '@countersign/shared/webhook';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlOf, quoted } from './curl.ts';

const run = promisify(execFile);
const has = (tool: string, argument: string) => spawnSync(tool, [argument]).error === undefined;
const able = has('bash', '--version') && has('curl', '--version') && has('openssl', 'version');

/** Any text a body may contain; no argument can contain a NUL, and no stored body has one. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          "'",
          '"',
          '\\',
          '\n',
          '\r',
          '\t',
          '$',
          '`',
          '!',
          '@',
          '%',
          '\u001b',
          '\u202e',
          '7',
          'é',
          '👩',
          '$(id)',
          "'\\''",
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join('')),
  )
  .filter((given) => !given.includes('\0') && given.isWellFormed());

interface Got {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe.skipIf(!able)('a delivery as a curl command', () => {
  let got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks) });
      response.end();
    });
  });
  let base = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  /** Runs the command as pasted, with the secret inserted. */
  async function pasted(sent: Parameters<typeof curlOf>[0], secret = 'whsec_…'): Promise<Got> {
    got = [];
    const running = run('bash', ['-s']);
    running.child.stdin?.end(curlOf(sent).replace("secret='whsec_…'", () => `secret=${quoted(secret)}`));
    await running;
    expect(got).toHaveLength(1);
    return got[0] as Got;
  }

  it('by property: a shell reads back every text, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
        const script = texts.map((each) => `printf '%s\\0' ${quoted(each)}\n`).join('');
        const { stdout } = spawnSync('bash', ['-s'], { input: script });
        expect(stdout.equals(Buffer.from(texts.map((each) => `${each}\0`).join('')))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('hides nothing: characters a terminal would not show are escaped', () => {
    expect(quoted('a\u202eb')).toBe("$'a\\342\\200\\256b'");
    expect(quoted('a\u001b[2Jb\u0007')).toBe("$'a\\033[2Jb\\007'");
    fc.assert(fc.property(text, (given) => !/[\p{Cc}\p{Cf}]/u.test(quoted(given))));
  });

  it('by property: sends exactly the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const arrived = await pasted({ url: `${base}/hooks`, headers: { 'content-type': 'application/json' }, body });
        expect(arrived.body.equals(Buffer.from(body))).toBe(true);
      }),
      { numRuns: 15, examples: [['@/etc/hostname'], ["it's\n"], [''], ['-d x']] },
    );
  });

  it('sends a body that is longer than an argument may be', async () => {
    const body = JSON.stringify({ text: "x'é".repeat(100_000) });
    expect((await pasted({ url: base, headers: {}, body })).body.equals(Buffer.from(body))).toBe(true);
  });

  it('sends to the same URL, with the same headers, and with a valid signature once the secret is inserted', async () => {
    const url = `${base}/hooks/[a]{b,c}/../d?x=1&y=$HOME'%20`;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795183318',
      'x-webhook-attempt': '3',
      'x-webhook-signature': '•••',
      'webhook-signature': 'v1,•••',
    };
    const arrived = await pasted({ url, headers, body: '{"a":"é"}' }, 'whsec_c2VjcmV0');
    const { pathname, search } = new URL(url);
    expect(arrived.url).toBe(pathname + search);
    expect(arrived.headers).toMatchObject({
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795183318',
      'x-webhook-attempt': '3',
    });
    expect(arrived.headers['webhook-signature']).toBeUndefined();
    const verifier = { secret: 'whsec_c2VjcmV0', now: 0 };
    expect(await verifyWebhook(arrived.body, arrived.headers as Record<string, string>, verifier)).toBe(true);
  });

  it('contains no signature, not even a masked one', () => {
    const headers = { 'x-webhook-signature': 'm1', 'x-webhook-signature-secondary': 'm2', 'webhook-signature': 'm3' };
    expect(curlOf({ url: 'https://a.example/', headers, body: '' })).not.toMatch(/m[123]/);
  });
});
