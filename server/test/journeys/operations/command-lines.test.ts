// Tests that every command of scripts/ prints its usage on request, and refuses an option that it does not know.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../../../../scripts');
const commands = readdirSync(SCRIPTS).filter((file) => /(?<!\.test)\.ts$/.test(file));
/** It hands its arguments to vitest, which refuses them. */
const refusing = commands.filter((file) => file !== 'test.ts');

/** Ends a command that starts its work in spite of its arguments. */
const KILL_AFTER_MS = 100_000;

async function run(file: string, argument: string) {
  const child = spawn(process.execPath, [join(SCRIPTS, file), argument], { timeout: KILL_AFTER_MS });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, err };
}

describe('the command line', () => {
  it.each(commands)('of %s: --help prints its usage and nothing else', async (file) => {
    const { code, out, err } = await run(file, '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Usage: /);
  });

  it.each(refusing)('of %s: an unknown option is refused with one line', async (file) => {
    const { code, out, err } = await run(file, '--no-such-option');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^[A-Z-].*\.?\n(\nUsage: |$)/);
  });
});
