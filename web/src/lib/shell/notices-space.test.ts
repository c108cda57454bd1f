// Every element that leaves the height of the notices free is told that height: the property is not inherited.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../..');
/** Shown before there are notices. */
const WITHOUT = ['lib/components/Splash.svelte'];
it('sets --notices on the element that uses it', () => {
  const users = globSync('**/*.svelte', { cwd: SRC })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\bh-page\b|var\(--notices\)/.test(readFileSync(join(SRC, path), 'utf8')));
  expect(users.length).toBeGreaterThan(WITHOUT.length);
  const without = users.filter((path) => !tagsOf(readFileSync(join(SRC, path), 'utf8')).every(isTold));
  expect(without).toEqual(WITHOUT);
});

/** The opening tags that use the height. */
const tagsOf = (source: string): string[] =>
  source
    .split(/(?=<[a-z])/)
    .map((part) => part.slice(0, part.search(/[^=]>/) + 2))
    .filter((tag) => /\bh-page\b|var\(--notices\)/.test(tag));

const isTold = (tag: string): boolean => tag.includes('style:--notices=');
