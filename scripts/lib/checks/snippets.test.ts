// Tests that the README shows the snippets as stored, and that those without a package use only standard libraries.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SNIPPETS = join(ROOT, 'docs/snippets');
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

interface Language {
  name: string;
  file: string;
  install: string;
}
const languages = JSON.parse(read(SNIPPETS, 'languages.json')) as readonly Language[];
const readme = read(ROOT, 'README.md');

describe.each(languages)('the README on $name', ({ name, file, install }) => {
  it('links to its snippet and says how to install what it needs', () => {
    const row = readme.split('\n').find((line) => line.includes(`[${file}](docs/snippets/${file})`)) ?? '';
    expect(row).toContain(name);
    for (const line of install.split('\n')) expect(row).toContain(line);
  });
});

it.each(readdirSync(SNIPPETS).filter((file) => file.startsWith('quickstart.')))(
  'the README shows %s as it is',
  (file) => {
    const fence = { sh: 'sh', ts: 'ts', py: 'python' }[file.split('.')[1] ?? ''];
    expect(readme).toContain(`\`\`\`${fence}\n${read(SNIPPETS, file)}\`\`\`\n`);
  },
);

const ofLanguages = new Set(languages.map(({ file }) => file));
const alone = readdirSync(SNIPPETS).filter((file) => file.endsWith('.ts') && !ofLanguages.has(file));
it.each(alone)('%s imports nothing but Node', (file) => {
  const imported = [...read(SNIPPETS, file).matchAll(/from '([^']+)'/g)].map(([, from]) => from);
  expect(imported.length).toBeGreaterThan(0);
  for (const from of imported) expect(from).toMatch(/^node:/);
});
