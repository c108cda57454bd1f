// Tests that stacks of the bundled server name the sources.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { withSourcePositions } from './server-bundle.ts';

const parent = mkdtempSync(join(tmpdir(), 'countersign-bundle-'));
afterAll(() => rmSync(parent, { recursive: true }));

it('replaces the positions in a bundle by those in the sources, and nothing else', () => {
  const folder = join(parent, 'node_modules/.server-bundle-0123');
  mkdirSync(folder, { recursive: true });
  // The second line of the bundle comes from line 5, column 3 of the source.
  const map = { version: 3, file: 'main.mjs', sources: ['../../server/src/main.ts'], names: [], mappings: ';AAIE' };
  writeFileSync(join(folder, 'main.mjs.map'), JSON.stringify(map));
  const frame = (position: string) => `Error: no\\n    at run (${position})\\n    at other.js:2:1`;
  const source = join(parent, 'server/src/main.ts:5:3');
  expect(withSourcePositions(frame(`file://${folder}/main.mjs:2:1`))).toBe(frame(source));
  expect(withSourcePositions(`    at ${folder}/main.mjs:2:1`)).toBe(`    at ${source}`);
  const withoutMap = frame(`file://${folder}/other.mjs:2:1`);
  expect(withSourcePositions(withoutMap)).toBe(withoutMap);
});
