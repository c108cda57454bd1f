// The errors of fields in a problem: as many as a reader can use, however many values are wrong.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fieldErrors } from './field-errors.ts';

const errorsOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error === undefined ? [] : fieldErrors(error, '#');
};

it('lists every error of a few', () => {
  expect(errorsOf(z.array(z.string()), [1, 'a', 2]).map(({ pointer }) => pointer)).toEqual(['#/0', '#/2']);
});

it('lists a hundred errors of a long list, and says how many more there are', () => {
  const errors = errorsOf(
    z.array(z.string()),
    Array.from({ length: 5_000 }, () => 0),
  );
  expect(errors).toHaveLength(100);
  expect(errors.at(-1)?.detail).toMatch(/ 4900 more are not listed\.$/);
  expect(errors.filter(({ detail }) => detail.includes('not listed'))).toHaveLength(1);
});
