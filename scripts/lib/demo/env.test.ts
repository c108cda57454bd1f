// Tests the demo's environment, ports and welcome text.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { demoEnv, localAddress, portFault, receiverPort } from './env.ts';
import { welcomeBlock } from './welcome.ts';

describe('demoEnv', () => {
  it('sets what the caller has not, empty values included, and always DEMO', () => {
    const env = demoEnv({ PORT: '', LOG_LEVEL: 'info', DEMO: 'false', HOME: '/home/me' }, '/app');
    expect(env).toEqual({
      PORT: '3000',
      DATA_DIR: '/app/.data',
      LOG_LEVEL: 'info',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      WEBHOOK_ALLOW_HTTP: 'true',
      DEMO: 'true',
      HOME: '/home/me',
    });
  });
});

describe('localAddress', () => {
  it.each([
    [{ PORT: '3000' }, 'http://127.0.0.1:3000'],
    [{ PORT: '3000', HOST: '0.0.0.0' }, 'http://127.0.0.1:3000'],
    [{ PORT: '3000', HOST: '::1' }, 'http://[::1]:3000'],
    [{ PORT: '3000', HOST: '[::1]' }, 'http://[::1]:3000'],
    [{ PORT: '3000', HOST: '[::]' }, 'http://127.0.0.1:3000'],
  ])('of %j is %s', (env, address) => {
    expect(localAddress(env)).toBe(address);
  });
});

describe('portFault', () => {
  it('names the port and how to choose another, and is silent when it is free', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const PORT = String((server.address() as AddressInfo).port);
    expect(await portFault({ PORT })).toMatch(new RegExp(`^Port ${PORT} is in use .* PORT=\\d+ npm run demo$`));
    await new Promise((resolve) => server.close(resolve));
    expect(await portFault({ PORT })).toBeNull();
  });

  it('refuses 0: neither the page nor the curl would know the address', async () => {
    expect(await portFault({ PORT: '0' })).toMatch(/PORT=3000 npm run demo$/);
  });

  it('leaves an invalid port to the service', async () => {
    expect(await portFault({ PORT: 'abc' })).toBeNull();
  });
});

describe('receiverPort', () => {
  it.each([
    ['3000', 3001],
    ['65535', 0],
    ['0', 0],
    ['abc', 0],
  ])('after %s is %i', (port, expected) => {
    expect(receiverPort({ PORT: port })).toBe(expected);
  });
});

describe('welcomeBlock', () => {
  it('has a curl whose body is a valid submission, and sets the variables of the snippets', () => {
    const projectId = '0199c0de-7a7e-7000-8000-00000000000a';
    const text = welcomeBlock({
      pageUrl: 'http://localhost:3000',
      projectName: 'Support replies',
      projectId,
      apiKey: 'csk_test',
      webhookUrl: 'http://127.0.0.1:3001/webhooks/decisions',
      file: 'file.jsonl',
    });
    expect(text).toContain("-H 'x-api-key: csk_test'");
    expect(text).toContain(
      `npm run submit -- --url http://localhost:3000 --key csk_test --project ${projectId} file.jsonl`,
    );
    const body = /-d '(.+)'/.exec(text)?.[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({ project_id: projectId, confidence: 0.82 });
    for (const [name, value] of [
      ['URL', 'http://localhost:3000'],
      ['API_KEY', 'csk_test'],
      ['PROJECT_ID', projectId],
    ]) {
      expect(text).toContain(`    export COUNTERSIGN_${name}=${value}\n`);
    }
    expect(text).toMatch(/Press Ctrl\+C to stop/);
  });
});
