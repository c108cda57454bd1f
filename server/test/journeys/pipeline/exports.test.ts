// Tests exporting learnings (LX): over HTTP, interrupted, and resumed at another process.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { exportLearnings, listExports, previewExport } from '@countersign/shared/api/exports';
import { claimItem, decideItem } from '@countersign/shared/api/queue';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
/** Together more than the buffers between server and reader hold. */
const ITEMS = 60;
const LONG = 'x'.repeat(100_000);
let owner: Person;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
  project = await openProject(owner, { settings: { undo_window_seconds: 0 } });
  for (let n = 0; n < ITEMS; n += 1) {
    const { id } = await project.pipeline.submit(aSubmission({ input: { question: n } }));
    const { fence } = await owner.call(claimItem, { params: { id } });
    const body = { fence, action: 'edit', output: { n, text: LONG }, reason: 'Wrong fact' } as const;
    await owner.call(decideItem, { params: { id }, body });
  }
  const numbered = async () => (await owner.call(previewExport, { params: { id: project.id } })).lines;
  await vi.waitUntil(async () => (await numbered()) === ITEMS, { timeout: 40_000 });
});

/** Runs the command on the environment's database, beside the service. */
async function runCommand(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = join(import.meta.dirname, '../../../../scripts/export.ts');
  const env = { PATH: process.env.PATH, ...testEnv.env };
  const ended = await promisify(execFile)(process.execPath, [script, ...args], { env }).catch(
    (error: unknown) => error,
  );
  const { code = 0, stdout, stderr } = ended as { code?: number; stdout: string; stderr: string };
  return { code, stdout, stderr };
}

const params = () => ({ id: project.id });
const linesIn = (text: string) => text.split('\n').slice(0, -1);

describe('LX2: an export over HTTP', () => {
  it('is a named file, with its cut-off and its line count', async () => {
    const { headers, text } = await owner.attempt(exportLearnings, {
      params: params(),
      query: { format: 'preference' },
    });
    expect(linesIn(text)).toHaveLength(ITEMS);
    const id = headers.get('x-export-id');
    expect(headers.get('content-type')).toMatch(/^application\/jsonl/);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="learnings-preference-${id}.jsonl"`);
    const { data } = await owner.call(listExports, { params: params() });
    expect(data[0]).toMatchObject({ id, lines: ITEMS, filter: { through: Number(headers.get('x-export-through')) } });
  });

  it('an export over HTTP that is interrupted resumes where it ended, at another process', async () => {
    const url = `${testEnv.url()}${exportLearnings.path.replace(':id', project.id)}?format=raw`;
    const stop = new AbortController();
    const response = await fetch(url, { headers: { cookie: owner.cookieHeader() }, signal: stop.signal });
    const through = Number(response.headers.get('x-export-through'));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let got = '';
    while (linesIn(got).length < 3) got += (await reader?.read())?.value ?? '';
    stop.abort();
    const had = linesIn(got);
    expect(had.length).toBeLessThan(ITEMS);
    const query = { format: 'raw', through, skip: had.length } as const;
    const rest = await owner.call(exportLearnings, { params: params(), query }, { process: 1 });
    const whole = await owner.call(exportLearnings, { params: params(), query: { format: 'raw', through } });
    expect([...had, ...linesIn(rest)]).toEqual(linesIn(whole));
  });

  it(
    'the command appends what is new to its file, and repairs an incomplete last line',
    { timeout: 120_000 },
    async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'countersign-export-')), 'learnings.jsonl');
      const whole = await owner.call(exportLearnings, { params: params(), query: { format: 'chat' } });
      writeFileSync(file, whole.slice(0, whole.length / 2));
      const asked = ['--project', project.id, '--format', 'chat', file];
      const first = await runCommand(asked);
      expect(first, first.stderr).toMatchObject({
        code: 0,
        stdout: `${file}: ${ITEMS / 2} lines added\n`,
      });
      expect(readFileSync(file, 'utf8')).toBe(whole);
      const again = await runCommand(asked);
      expect(again).toMatchObject({ code: 0, stdout: `${file}: 0 lines added\n` });
      const other = await runCommand(['--project', project.id, '--format', 'eval', file]);
      expect(other).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not begin like this export') as string,
      });
      const stranger = await runCommand(['--project', randomUUID(), `${file}.other`]);
      expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('No such ID') as string });
      const { data } = await owner.call(listExports, { params: params() });
      const byCommand = data.find(({ exported_by_name: by, filter }) => by === null && filter.format === 'chat');
      expect(byCommand).toMatchObject({ lines: ITEMS });
    },
  );

  it('an invalid option is refused before anything is sent', async () => {
    for (const [field, value] of [
      ['format', 'csv'],
      ['test_share', ''],
      ['through', '0x10'],
      ['reson', 'Wrong fact'],
    ] as const) {
      const query = { [field]: value };
      const { errors } = await owner.refused('validation_failed', exportLearnings, { params: params(), query });
      expect(errors).toMatchObject([{ pointer: `#/query/${field}` }]);
    }
  });
});
