// Tests that the image has no test files: .dockerignore names what the import rules call tests.
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const CONFIG = '../../../.dependency-cruiser.mjs';
const { TESTS } = (await import(CONFIG)) as { TESTS: string[] };

const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** As Docker reads the file: a pattern also matches what is inside of a folder, and the last one that matches decides. */
function isIgnored(file: string): boolean {
  const last = patterns.findLast((line) => {
    const pattern = line.replace(/^!/, '');
    return matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`);
  });
  return last !== undefined && !last.startsWith('!');
}

/** Everything in the folders that the Dockerfile copies. */
const files = globSync('{shared,server,web,scripts,docs/snippets}/**/*.*', {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|build|build-[^/]*|\.svelte-kit)$/.test(name),
}).map((file) => file.replaceAll('\\', '/'));
const isTest = (file: string): boolean => TESTS.some((pattern) => new RegExp(pattern).test(file));

describe('.dockerignore', () => {
  it('excludes every test, fixture and contract', () => {
    const tests = files.filter(isTest);
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter((file) => !isIgnored(file))).toEqual([]);
  });

  it('excludes no other source', () => {
    const sources = files.filter((file) => /\.(ts|svelte)$/.test(file) && !isTest(file));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter(isIgnored)).toEqual([]);
  });
});
