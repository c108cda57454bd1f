// Tests `npm run submit` as a process: exit codes, output and Ctrl+C.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { closeServices, fakeService, PROJECT, refuse, take } from '../shared/src/client/fake-service.fixture.ts';
import { items } from './lib/submit/submit.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'submit-'));
const file = join(directory, 'items.jsonl');
afterEach(closeServices);
afterAll(() => rmSync(directory, { recursive: true }));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command as npm does; `started` gets the process, to send it signals. */
function submit(args: string[], started?: (kill: (signal: NodeJS.Signals) => void) => void): Promise<Ended> {
  const script = join(import.meta.dirname, 'submit.ts');
  const child = spawn(process.execPath, [script, ...args]);
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  started?.((signal) => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

const usual = (url: string) => ['--url', url, '--key', 'csk_x', '--project', PROJECT, file];

// Each of these starts a process or two, which takes seconds on a busy machine.
describe('npm run submit', { timeout: 30_000 }, () => {
  it('exits with 0 when all lines were accepted, in plain lines without a terminal', async () => {
    const { url } = await fakeService((_seen, _attempt, response) => take(response));
    writeFileSync(file, items(30));
    const { code, stdout, stderr } = await submit(usual(url));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/100% {2}30 lines/);
    expect(stdout).toMatch(/queued +30\n/);
    // No escape sequence moves a cursor that is not there.
    expect(stdout).not.toContain('\u001b');
  });

  it('exits with 1 when lines were refused, and with 1 when the key is', async () => {
    const { url } = await fakeService((_seen, _attempt, response) => take(response));
    writeFileSync(file, `${items(3)}{"input":\n`);
    const refused = await submit(usual(`${url}/api/public/items`));
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('Line 4: invalid_json');
    const closed = await fakeService((_seen, _attempt, response) => {
      refuse(response, { status: 401, code: 'api_key_invalid' });
    });
    const unknown = await submit(usual(closed.url));
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toContain('The key is what --key or COUNTERSIGN_API_KEY carries.');
  });

  it('exits with 2, one sentence and the usage on a usage error', async () => {
    const { code, stdout, stderr } = await submit(['--nonsense']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--nonsense'.*\n\nUsage: npm run submit -- --url URL/);
  });

  it('on Ctrl+C waits for the responses in flight and ends with a summary; npm’s repeated signal has no effect', async () => {
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    const { url, requests } = await fakeService((_seen, _attempt, response) => {
      if (requests.length === 40) {
        kill('SIGINT');
        // Two of the same kind may come as one.
        kill('SIGTERM');
      }
      setTimeout(() => take(response), 60);
    });
    writeFileSync(file, items(5000));
    const { code, stdout } = await submit(usual(url), (send) => (kill = send));
    expect(code).toBe(130);
    expect(stdout).toMatch(new RegExp(`queued +${requests.length}\n`));
    expect(stdout).toMatch(/You stopped the run\.\n.*Run the same command again to go on\./);
    expect(requests.length).toBeLessThan(200);
  });
});
