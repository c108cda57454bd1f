// Tests `npm run submit` with 2,640 answers of language models, twice, each line by the routing rules.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { readItem } from '@countersign/shared/routes/public';
import { listQueue } from '@countersign/shared/routes/queue';
import type { ItemStatus } from '@countersign/shared/enums';
import { openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FILE = join(ROOT, '../shared/data/math-answers.jsonl');
const isThere = existsSync(FILE);
if (!isThere)
  process.stderr.write('SKIPPED  ../shared/data/math-answers.jsonl is not there: the journey of the real data.\n');

const SETTINGS = { auto_threshold: 0.95, review_threshold: 0.7, escalate_flags: ['high_value'] };
const SUBMIT_MS = 120_000;
/** How many lines the second run sends again. */
const REPEATED = 660;

describe.runIf(isThere)('2,640 answers of language models', () => {
  const testEnv = useSharedTestEnvironment();
  const lines = isThere
    ? readFileSync(FILE, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
  const expected = recount(lines);
  let owner: Person;
  let project: OpenProject;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-real-data-'));
    owner = await person(testEnv);
    project = await openProject(owner, { settings: SETTINGS });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs the script as a user does, and returns its output. */
  async function submit(file: string): Promise<string> {
    const target = { url: testEnv.url(), key: project.pipeline.apiKey, project: project.id, concurrency: '32' };
    const options = Object.entries(target).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(process.execPath, [join(ROOT, 'scripts/submit.ts'), ...options, file], { stdio: 'pipe' });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code, printed).toBe(0);
    return printed;
  }

  /** The part of the file that an interrupted run sent: enough to show that no item is repeated. */
  function beginning(): string {
    const file = join(folder, 'beginning.jsonl');
    writeFileSync(file, lines.slice(0, REPEATED).join('\n'));
    return file;
  }

  async function counts(): Promise<Partial<Record<ItemStatus, number>>> {
    const { mix, arrived } = await owner.call(readAnalytics, { params: { id: project.id } });
    expect(arrived).toBe(lines.length);
    return Object.fromEntries(Object.entries(mix).filter(([, count]) => count > 0));
  }

  it(
    'are routed by the rules, line by line (RT1-RT4), and a second run adds none (I2)',
    { timeout: 2 * SUBMIT_MS },
    async () => {
      expect(lines).toHaveLength(2640);
      const printed = await submit(FILE);
      for (const [status, count] of Object.entries(expected)) {
        expect(printed.replaceAll(',', '')).toMatch(new RegExp(`${status}\\s+${count}\\b`));
      }
      expect(await counts()).toEqual(expected);
      expect(await submit(beginning())).toMatch(new RegExp(`already there\\s+${REPEATED}\\b`));
      expect(await counts()).toEqual(expected);
      const { counts: waiting } = await owner.call(listQueue, { query: { project_id: project.id } });
      expect(waiting.all).toBe((expected.queued ?? 0) + (expected.escalated ?? 0));
    },
  );

  it('are read back with input and suggestion byte for byte as they were sent (I7)', async () => {
    const byRef = new Map(lines.map((line) => [refOf(line), line]));
    const { data } = await owner.call(listQueue, { query: { project_id: project.id, view: 'all', limit: 500 } });
    const sample = data.filter((_, n) => n % 10 === 0);
    expect(sample.length).toBeGreaterThan(20);
    for (const { id } of sample) {
      const { text } = await project.pipeline.attempt(readItem, { params: { id } });
      const { input, suggestion } = membersOf(byRef.get(refOf(text)) ?? '');
      expect(text).toContain(`"input":${input},"suggestion":${suggestion},`);
    }
  });
});

/** The rules in four lines of its own, to compare with the server's. */
function recount(lines: string[]): Partial<Record<ItemStatus, number>> {
  const counts: Partial<Record<ItemStatus, number>> = {};
  for (const line of lines) {
    const { confidence, risk_flags: flags } = JSON.parse(line) as { confidence: number; risk_flags: string[] };
    const routed = confidence >= 0.95 ? 'auto_approved' : confidence >= 0.7 ? 'queued' : 'rejected';
    const status = flags.includes('high_value') ? 'escalated' : routed;
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const refOf = (text: string) => /"ref": ?"([^"]+)"/.exec(text)?.[1] ?? '';

/** The text of two members, cut out of a line whose members come in this order. */
function membersOf(line: string): { input: string; suggestion: string } {
  const [, input = '', suggestion = ''] = /^\{"input": (.*), "suggestion": (.*), "confidence": /s.exec(line) ?? [];
  return { input, suggestion };
}
