// Tests that the README shows the submit snippet as stored, and that snippets use only standard libraries.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SNIPPETS = join(ROOT, 'docs/snippets');
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

it('the README shows submit.sh as it is', () => {
  expect(read(ROOT, 'README.md')).toContain(`\`\`\`sh\n${read(SNIPPETS, 'submit.sh')}\`\`\`\n`);
});

it.each(readdirSync(SNIPPETS).filter((name) => name.endsWith('.ts')))('%s imports nothing but Node', (name) => {
  const imported = [...read(SNIPPETS, name).matchAll(/from '([^']+)'/g)].map(([, from]) => from);
  expect(imported.length).toBeGreaterThan(0);
  for (const from of imported) expect(from).toMatch(/^node:/);
});
