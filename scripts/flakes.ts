// `npm run test:flakes [-- RUNS [TEST ARGUMENTS]]`: repeats `npm test` on a busy machine and lists every failure.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { failuresOf, readReport } from './lib/checks/test-report.ts';

const ROOT = join(import.meta.dirname, '..');
/** Uses half of a processor's time, and ends with this process. */
const BUSY = `process.on('disconnect', () => process.exit()); const spin = () => { const until = performance.now() + 50; while (performance.now() < until); setImmediate(spin); }; spin();`;

const USAGE = `Usage: npm run test:flakes [-- RUNS [TEST ARGUMENTS]]

  Runs npm test RUNS times (20) while the machine is busy, and lists every failure. Test arguments are those of npm test.`;

const [runs = '20', ...testArguments] = process.argv.slice(2);
if (['--help', '-h'].includes(runs)) {
  console.log(USAGE);
  process.exit(0);
}
const count = Number(runs);
if (!Number.isInteger(count) || count < 1) {
  console.error(`RUNS is a whole number from 1.\n\n${USAGE}`);
  process.exit(2);
}

const loops = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['--eval', BUSY], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
);
/** How often each test failed. */
const failed = new Map<string, number>();
let red = 0;
try {
  for (let run = 1; run <= count; run += 1) {
    const { passed, minutes } = await runOnce();
    if (!passed) red += 1;
    console.log(
      `run ${run} of ${count}: ${passed ? 'passed' : 'FAILED'} in ${minutes.toFixed(1)} min; ${red} failed so far`,
    );
    for (const [name, times] of failed) console.log(`  ${times} times: ${name}`);
  }
} finally {
  for (const loop of loops) loop.kill('SIGKILL');
}
process.exitCode = red > 0 ? 1 : 0;

async function runOnce(): Promise<{ passed: boolean; minutes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-flakes-'));
  const report = join(folder, 'report.json');
  const started = performance.now();
  try {
    const code = await exitOf(
      spawn(process.execPath, [join(ROOT, 'scripts/test.ts'), ...testArguments], {
        cwd: ROOT,
        env: { ...process.env, TEST_REPORT: report },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    for (const { file, name } of failuresOf(readReport(report))) {
      const key = `${relative(ROOT, file)} ${name}`;
      failed.set(key, (failed.get(key) ?? 0) + 1);
    }
    return { passed: code === 0, minutes: (performance.now() - started) / 60_000 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}
