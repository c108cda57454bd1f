// Each language shows the very file that the tests run, with this service's address, and its commands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, commandsOf, LANGUAGES, valuesOf } from './languages.ts';

const SNIPPETS = join(import.meta.dirname, '../../../../../../../docs/snippets');
const URL_HERE = 'https://review.example.org';
const PROJECT = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';

it('has each language with its own anchor', () => {
  const names = ['curl', 'TypeScript', 'Python', 'LangGraph', 'OpenAI Agents', 'Pydantic AI', 'AI SDK', 'MCP'];
  expect(LANGUAGES.map(({ name }) => name)).toEqual(names);
  expect(new Set(LANGUAGES.map(({ id }) => id)).size).toBe(names.length);
});

describe.each(LANGUAGES)('$name', (language) => {
  it('shows the file as it is stored; a configuration with the address of this service', () => {
    const stored = readFileSync(join(SNIPPETS, language.file), 'utf8');
    const code = codeOf(language, URL_HERE);
    expect(code).toBe(language.id === 'mcp' ? stored.replace('${COUNTERSIGN_URL}', URL_HERE) : stored);
    expect(code).not.toContain('COUNTERSIGN_URL}');
    expect(code.length).toBeGreaterThan(100);
  });

  it('sets every variable that its program names, and runs its file', () => {
    const commands = commandsOf(language, valuesOf(URL_HERE, PROJECT));
    for (const [name] of codeOf(language, URL_HERE).matchAll(/COUNTERSIGN_[A-Z_]+/g)) {
      expect(commands).toContain(`export ${name}=`);
    }
    expect(commands).toMatch(/^export COUNTERSIGN_API_KEY=csk_…$/m);
    if (language.start !== '') {
      expect(commands).toContain(`export COUNTERSIGN_URL=${URL_HERE}\n`);
      expect(commands).toContain(`export COUNTERSIGN_PROJECT_ID=${PROJECT}\n`);
      expect(commands.split('\n').at(-1)).toContain(language.file);
    }
  });
});

it('puts no project id into a shell command that is none', () => {
  expect(valuesOf(URL_HERE, '$(reboot)').COUNTERSIGN_PROJECT_ID).toBe('…');
});
