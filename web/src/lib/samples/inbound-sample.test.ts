// The pasted command is signed as the contract requires: the shell runs it, and only curl is replaced.
import { inboundSubmission } from '@countersign/shared/schemas/inbound';
import { verifyHex } from '@countersign/shared/webhook';
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { inboundSample } from './code-samples.ts';

it('the ready command sends one submission, signed over the bytes it sends', async () => {
  const secret = `whsec_${Buffer.alloc(32, 251).toString('base64')}`;
  const url = 'http://localhost:3000/api/public/inbound/5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1';
  const { code } = inboundSample({ url, secret });
  // Each argument that curl would get, ended by NUL.
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${code}`]).toString();
  const given = printed.split('\0').slice(0, -1);
  const body = given.at(-1) ?? '';
  const header = given.find((text) => text.startsWith('x-webhook-signature: ')) ?? '';
  expect(given[0]).toBe(url);
  expect(inboundSubmission.parse(JSON.parse(body))).toMatchObject({ confidence: 0.81 });
  expect(await verifyHex(body, header.replace('x-webhook-signature: ', ''), secret)).toBe(true);
});
