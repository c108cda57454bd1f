// Tests the command line of `npm run submit`.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments, sizeOf, UsageError } from './arguments.ts';

const PROJECT = '0199C0DE-7a7e-7000-8000-00000000000a';
const GOOD = ['--url', 'http://localhost:3000', '--key', 'csk_x', '--project', PROJECT, 'items.jsonl'];
const read = (args: string[], env: NodeJS.ProcessEnv = {}) => readArguments(args, env);

describe('readArguments', () => {
  it('takes what is needed, 16 requests at once, and the project id in lower case', () => {
    expect(read(GOOD)).toEqual({
      url: 'http://localhost:3000',
      apiKey: 'csk_x',
      projectId: PROJECT.toLowerCase(),
      concurrency: 16,
      file: 'items.jsonl',
    });
    expect(read(['--concurrency', '3', ...GOOD])).toMatchObject({ concurrency: 3 });
    expect(read(['--help'])).toBe('help');
  });

  it('takes the key from COUNTERSIGN_API_KEY where --key is not given', () => {
    const env = { COUNTERSIGN_API_KEY: 'csk_env' };
    expect(read([...GOOD.slice(0, 2), ...GOOD.slice(4)], env)).toMatchObject({ apiKey: 'csk_env' });
    expect(read(GOOD, env)).toMatchObject({ apiKey: 'csk_x' });
  });

  it.each([
    ['http://h:3000/', 'http://h:3000'],
    ['https://h/api/public/items', 'https://h'],
    ['https://h/prefix/api/public/', 'https://h/prefix'],
  ])('takes the address %s as %s', (pasted, url) => {
    expect(read(GOOD.with(1, pasted))).toMatchObject({ url });
  });

  it.each([
    ['no file', GOOD.slice(0, -1), /^Name one JSONL file\.$/],
    ['two files', [...GOOD, 'more.jsonl'], /^Name one JSONL file\.$/],
    ['no address', GOOD.slice(2), /^Give the address/],
    ['another kind of address', GOOD.with(1, 'ftp://h'), /^Give the address/],
    ['no address at all', GOOD.with(1, 'localhost'), /^Give the address/],
    ['no key', [...GOOD.slice(0, 2), ...GOOD.slice(4)], /^Give the API key/],
    ['a key with a line break', GOOD.with(3, 'csk_x\n'), /^Give the API key/],
    ['no project', [...GOOD.slice(0, 4), ...GOOD.slice(6)], /^Give the id of the project/],
    ['a project by name', GOOD.with(5, 'support'), /^Give the id of the project/],
    ['concurrency 0', ['--concurrency', '0', ...GOOD], /^--concurrency must be/],
    ['concurrency in words', ['--concurrency', 'many', ...GOOD], /^--concurrency must be/],
    ['an unknown option', ['--nonsense', ...GOOD], /^Unknown option '--nonsense'/],
  ])('refuses the arguments with %s', (_what, args, sentence) => {
    expect(() => read(args)).toThrow(UsageError);
    expect(() => read(args)).toThrow(sentence);
  });
});

describe('sizeOf', () => {
  it('is the size in bytes of a file that can be read', async () => {
    expect(await sizeOf(import.meta.filename)).toBeGreaterThan(1000);
    await expect(sizeOf(tmpdir())).rejects.toThrow(/is a directory/);
    await expect(sizeOf(join(tmpdir(), 'no-such-file.jsonl'))).rejects.toThrow(/cannot be read\.$/);
  });
});
