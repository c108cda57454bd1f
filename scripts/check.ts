// `npm run check`: runs every static check, as many steps at once as there are processors.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { readFlags } from './lib/commands/read-flags.ts';

/** Steps of package.json: `sync` and what does not need it, then the longest first, so that the last one to end is short. */
const STEPS = [
  'sync',
  'format:check',
  'lint',
  'lint:components',
  'types:web',
  'layers',
  'dead-code',
  'check:docs',
] as const;

interface Ended {
  passed: boolean;
  output: string;
}

readFlags(`Usage: npm run check

  Runs every static check, as many at once as there are processors: ${STEPS.join(', ')}. Ends with 1 when one fails.`);

const waiting = [...STEPS];
const failed: string[] = [];
/** Whether `sync` passed: what it generates is read by linters and compilers, not by the formatter. */
const generated = Promise.withResolvers<boolean>();

await Promise.all(Array.from({ length: availableParallelism() }, work));
for (const step of failed) console.error(`FAILED  npm run ${step}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    if (step === 'sync') generated.resolve(await passes(step));
    else if (step === 'format:check' || (await generated.promise)) await passes(step);
  }
}

/** Runs one step, and prints its output once it has ended, so that outputs do not mix. */
async function passes(step: string): Promise<boolean> {
  const started = performance.now();
  const { passed, output } = await run(step);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${passed ? 'ok' : 'FAILED'}  ${step}  ${seconds} s`);
  if (!passed) console.log(output);
  if (!passed) failed.push(step);
  return passed;
}

async function run(step: string): Promise<Ended> {
  const child = spawn('npm', ['run', '-s', step], { stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { passed: exit === 0, output: out + err };
}
