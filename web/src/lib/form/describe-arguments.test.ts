// Says which arguments of a tool call an edit changed: by the decimals that the text says.
import { expect, it } from 'vitest';
import { parseJson, type JsonObject } from '#lib/values/json/lossless.ts';
import { argumentRows } from './describe-arguments.ts';

it.each([
  ['0.1', '0.10000000000000001', true],
  ['12.340000000000000001', '12.34', true],
  ['1.0', '1', false],
  ['[1e2]', '[100]', false],
])('an argument %s that became %s is changed: %s', (before, after, changed) => {
  const [old, now] = [before, after].map((value) => parseJson(`{"amount":${value}}`) as JsonObject);
  expect(argumentRows(null, old ?? {}, now ?? null).map((row) => row.changed)).toEqual([changed]);
});
