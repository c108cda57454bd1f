// The build refuses files that import each other.
import { expect, it } from 'vitest';
import { cycleAmong } from '../bundle-plugins.ts';

it.each<[string, Record<string, string[]>, string[] | null]>([
  ['a tree', { a: ['b', 'c'], b: ['c'], c: [] }, null],
  ['two files that import each other', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  ['a file that is not part of the build', { a: ['other'] }, null],
])('QU16: finds the import cycle in %s', (_, imports, cycle) => {
  expect(cycleAmong(new Map(Object.entries(imports)))).toEqual(cycle);
});
