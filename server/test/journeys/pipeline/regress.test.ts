// Tests the regression command as a user runs it: starts a run, writes its cases, submits the answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const COMMAND = join(import.meta.dirname, '../../../../scripts/regress.ts');
/** What `review` writes into an edit. */
const WRITTEN = 'An answer that a person wrote.';
const testEnv = useSharedTestEnvironment();
const folder = mkdtempSync(join(tmpdir(), 'countersign-regress-'));
const [casesFile, answersFile] = [join(folder, 'cases.jsonl'), join(folder, 'answers.jsonl')];
let project: OpenProject;

beforeAll(async () => {
  const owner = await person(testEnv);
  project = await openProject(owner);
  for (const action of ['edit', 'edit', 'reject', 'approve'] as const)
    await review(owner, (await project.pipeline.submit(aSubmission({ suggestion: `First ${action}.` }))).id, action);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function regress(...options: string[]): Promise<{ code: number; output: string; errorOutput: string }> {
  const given = [COMMAND, '--url', testEnv.url(), ...options];
  const env = { ...process.env, COUNTERSIGN_API_KEY: project.pipeline.apiKey };
  const child = spawn(process.execPath, given, { env, stdio: 'pipe' });
  const [output, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode ?? -1, output, errorOutput };
}

const cases = () =>
  readFileSync(casesFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; input: { question: string } });

/** Answers the cases of the file, each with the given text. */
function answer(words: readonly string[], more: readonly string[] = []): void {
  const lines = cases().map(({ id }, at) =>
    JSON.stringify({ case_id: id, suggestion: words[at % words.length], confidence: 0.9 }),
  );
  writeFileSync(answersFile, [...lines, ...more, ''].join('\n'));
}

describe('npm run regress', () => {
  let run: string;

  it('starts a run over overrides, and writes a line per case', async () => {
    const { code, output, errorOutput } = await regress('--start', casesFile, '--title', 'The second prompt');
    expect({ code, errorOutput }).toEqual({ code: 0, errorOutput: '' });
    run = /^run ([0-9a-f-]{36}), 3 cases$/m.exec(output)?.[1] ?? '';
    expect(output).toContain(`${casesFile}: 3 cases`);
    expect(cases().map(({ input }) => input.question)).toHaveLength(3);
  });

  it('judges answers, names the line that it cannot use, and exits with 1 while something still fails', async () => {
    answer(['First edit.'], ['{"case_id":']);
    const { code, output, errorOutput } = await regress('--run', run, answersFile);
    expect(code).toBe(1);
    expect(output).toContain('3 of 3 are answered');
    expect(output).toMatch(/^still fails 2, differs 1, fixed 0, refused 1$/m);
    expect(errorOutput).toContain(`${answersFile}:4: `);
  });

  it('exits with 0 when nothing fails any more, and has no open case', async () => {
    const again = await regress('--start', casesFile, '--action', 'edit');
    expect(cases()).toHaveLength(2);
    const id = /^run (\S+),/m.exec(again.output)?.[1] ?? '';
    answer([WRITTEN]);
    const { code, output, errorOutput } = await regress('--run', id, answersFile);
    expect({ code, errorOutput }).toEqual({ code: 0, errorOutput: '' });
    expect(output).toMatch(/^still fails 0, differs 0, fixed 2, refused 0$/m);
    expect((await regress('--run', id, '--read', casesFile)).output).toContain(`${casesFile}: 0 cases`);
    expect(readFileSync(casesFile, 'utf8')).toBe('');
  });

  it('names a file that it cannot use, and starts no run for it', async () => {
    const runs = () => testEnv.sql('select id from regression where project_id = $1', [project.id]);
    const before = await runs();
    for (const file of [folder, join(folder, 'missing', 'cases.jsonl')]) {
      const unwritable = await regress('--start', file);
      expect([unwritable.code, unwritable.output]).toEqual([1, '']);
      expect(unwritable.errorOutput).toMatch(new RegExp(`^${file} cannot be written: .*\n$`));
      const unreadable = await regress('--run', run, file);
      expect([unreadable.code, unreadable.output]).toEqual([2, '']);
      expect(unreadable.errorOutput).toMatch(
        new RegExp(`^${file} (is a directory, not a JSONL file|cannot be read)\\.$`, 'm'),
      );
    }
    expect(await runs()).toEqual(before);
  });

  it('explains a wrong command line, and a wrong address, in words', async () => {
    const without = await regress();
    expect(without.code).toBe(2);
    expect(without.errorOutput).toContain('Name one JSONL file.');
    const nowhere = await regress('--url', 'http://127.0.0.1:9', '--start', casesFile);
    expect(nowhere.code).toBe(1);
    expect(nowhere.errorOutput).not.toContain('    at ');
    expect(nowhere.errorOutput).toMatch(/^No response from the service: \S.* Trying again in \d+ s\.$/m);
  });
});
