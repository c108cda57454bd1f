// Tests that stacks of the bundled service name the sources.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from './log.ts';
import { withSourcePositions } from './source-positions.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));
const folder = join(root, 'server/build-0123');
const IN_BUNDLE = `${folder}/service.mjs:2:1`;
const IN_SOURCE = join(root, 'server/src/service.ts:5:3');

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  // The second line of the bundle comes from line 5, column 3 of the source.
  const map = { version: 3, file: 'service.mjs', sources: ['../src/service.ts'], names: [], mappings: ';AAIE' };
  writeFileSync(join(folder, 'service.mjs.map'), JSON.stringify(map));
});

it('replaces the positions in a bundle by those in the sources, and nothing else', () => {
  const frame = (position: string) => `Error: no\\n    at run (${position})\\n    at other.js:2:1`;
  expect(withSourcePositions(frame(`file://${IN_BUNDLE}`))).toBe(frame(IN_SOURCE));
  expect(withSourcePositions(`    at ${IN_BUNDLE}`)).toBe(`    at ${IN_SOURCE}`);
  const withoutMap = frame(`file://${folder}/packages~service.mjs:2:1`);
  expect(withSourcePositions(withoutMap)).toBe(withoutMap);
});

it('leaves positions where the map is damaged', () => {
  writeFileSync(join(folder, 'damaged.mjs.map'), '{');
  const position = `    at ${folder}/damaged.mjs:2:1`;
  expect(withSourcePositions(position)).toBe(position);
});

it('reads a long line of a message once', () => {
  // Read again from each of its characters, it would take minutes.
  const line = `    at ${'a'.repeat(200_000)}/build-`;
  expect(withSourcePositions(line)).toBe(line);
});

it('does so in the log, for an error and its cause', () => {
  const frame = (position: string) => `    at run (${position})`;
  const failing = (message: string, cause?: Error) =>
    Object.assign(new Error(message, { cause }), { stack: `Error: ${message}\n${frame(`file://${IN_BUNDLE}`)}` });
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.error({ err: failing('outer', failing('inner')) }, 'failed');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { err: { message: 'outer', stack: frame(IN_SOURCE), cause: { message: 'inner', stack: frame(IN_SOURCE) } } },
  ]);
});
