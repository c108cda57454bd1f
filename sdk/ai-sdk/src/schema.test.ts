// Schemas of tools in the draft of the service: its own validator reads them, and judges as the tool does.
import { asSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import type { Json } from '@countersign/shared/client';
import { toDraft2020 } from './schema.ts';

async function compiled(schema: z.ZodType) {
  const written = JSON.parse(JSON.stringify(await asSchema(schema).jsonSchema)) as Json;
  const read = compileSchema(JSON.stringify(toDraft2020(written)));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return (value: Json) => validate(read.schema, value).length === 0;
}

/** An object with this member. */
const alternative = (by: Json) => ({ type: 'object', required: ['by'], properties: { by } });

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});

describe('the schema of a tool in draft 2020-12', () => {
  it.each<[string, z.ZodType, Json, Json]>([
    ['an object', z.object({ amount: z.number().positive() }), { amount: 1 }, { amount: 0 }],
    ['a tuple', z.object({ at: z.tuple([z.number(), z.string()]) }), { at: [1, 'a'] }, { at: ['a', 1] }],
    ['a tuple with a rest', z.object({ at: z.tuple([z.number()], z.string()) }), { at: [1, 'a'] }, { at: [1, 2] }],
    ['a union', z.object({ to: z.union([z.literal('all'), z.number()]) }), { to: 'all' }, { to: 'none' }],
    ['a recursive type', tree, { name: 'a', children: [{ name: 'b', children: [] }] }, { name: 'a', children: [1] }],
    ['a record', z.object({ by: z.record(z.string(), z.int()) }), { by: { a: 1 } }, { by: { a: 'b' } }],
    ['a pattern', z.object({ order: z.string().regex(/^BM-[0-9]+$/) }), { order: 'BM-1' }, { order: 'X' }],
    [
      'properties with the names of keywords',
      z.object({ items: z.string(), enum: z.int() }),
      { items: '', enum: 1 },
      { items: 1, enum: 1 },
    ],
  ])('takes %s', async (_, schema, good, bad) => {
    const takes = await compiled(schema);
    expect([takes(good), takes(bad)]).toEqual([true, false]);
  });

  it.each(['email', 'uuid', 'url', 'emoji', 'base64', 'ipv4', 'ipv6', 'cidrv6', 'nanoid', 'e164', 'jwt'] as const)(
    'reads the format %s',
    async (format) => {
      const takes = await compiled(z.object({ to: z[format]() }));
      expect(takes({ to: 5 })).toBe(false);
    },
  );

  it.each(['date', 'time', 'datetime', 'duration'] as const)('reads a %s', async (format) => {
    const takes = await compiled(z.object({ at: z.iso[format]() }));
    expect(takes({ at: 5 })).toBe(false);
  });

  it.each([
    /^(?=.*[0-9]).+$/,
    /^(?!x)/,
    /(?<=a)b/,
    /(a)\1/,
    /(?<a>b)\k<a>/,
    /^.{1,5000}$/,
    /^.{1001,}$/,
    /a{,5}/,
    /^\i/,
  ])('leaves the pattern %s to the tool', async (pattern) => {
    const takes = await compiled(z.object({ code: z.string().regex(pattern) }));
    expect([takes({ code: '' }), takes({ code: 5 })]).toEqual([true, false]);
  });

  it.each([
    /^\(\d+\)$/,
    /^\(?:a\)$/,
    /^(?:a|b)(?<c>d)$/,
    /^\\1$/,
    /^a{1,1000}$/,
    /^b{2,}$/,
    /^[\w-.]{2}$/,
    /^[\d-\/]+$/,
    /^[.-\s]$/,
    /^\d{3}\-\d\"\_$/,
    /^{a}{2}$/,
    /^\u{1F600}\p{L}$/u,
    /^[\\-\d]$/,
  ])('keeps the pattern %s', async (pattern) => {
    const takes = await compiled(z.object({ code: z.string().regex(pattern) }));
    expect(takes({ code: 'x' })).toBe(false);
  });

  it('keeps a pattern with a hyphen beside a Unicode property', () => {
    const schema = { type: 'string', pattern: '^[\\p{L}-_]$' };
    expect(toDraft2020(schema)).toEqual(schema);
  });

  it.each(['^\\p{Greek}+$', '^\\d++$', '^a{1}{2}$', '\\Aabc\\z', '(?P<year>a)', '[z-a]', '('])(
    'leaves the pattern %s of another language to the tool',
    (pattern) => expect(toDraft2020({ type: 'string', pattern })).toEqual({ type: 'string' }),
  );

  it.each(['not', 'oneOf', 'if'])('leaves a pattern below %s to the service, which may refuse it', (keyword) => {
    const schema: Json = { [keyword]: [{ pattern: '(?=a)' }, { format: 'date', pattern: '-' }] };
    expect(toDraft2020(schema)).toEqual(schema);
  });

  it('judges alternatives by their patterns where nothing else tells them apart', async () => {
    const takes = await compiled(z.object({ at: z.xor([z.iso.date(), z.iso.time()]) }));
    expect(['2026-11-29', '12:00:00', 'x'].map((at) => takes({ at }))).toEqual([true, true, false]);
  });

  it('leaves the patterns of alternatives to the tool where a constant tells them apart', async () => {
    const one = z.object({ by: z.literal('code'), code: z.string().regex(/^(?=a)/) });
    const other = z.object({ by: z.enum(['mail', 'post']), to: z.emoji() });
    const takes = await compiled(z.object({ send: z.discriminatedUnion('by', [one, other]) }));
    expect(takes({ send: { by: 'code', code: 'b' } })).toBe(true);
    expect(takes({ send: { by: 'mail', code: 'b' } })).toBe(false);
  });

  it.each<Json[]>([
    [[true, { pattern: '(?=a)' }]],
    [[{ required: ['by'] }, { required: ['by'], properties: { by: { const: 1, pattern: '(?=a)' } } }]],
    [[{ properties: { by: { const: 1 } } }, { properties: { by: { const: 2, pattern: '(?=a)' } } }]],
    [[alternative({ const: 1 }), { ...alternative({ const: 2, pattern: '(?=a)' }), type: ['object', 'null'] }]],
    [[alternative({ const: 1 }), alternative({ enum: [2, 1], pattern: '(?=a)' })]],
    [{ pattern: '(?=a)' }],
  ])('leaves alternatives that may overlap as they are: %j', (oneOf) => {
    expect(toDraft2020({ oneOf })).toEqual({ oneOf });
  });

  it('leaves alternatives below an exact keyword as they are, also where a constant tells them apart', () => {
    const schema = { not: { oneOf: [alternative({ const: 1 }), alternative({ const: 2, pattern: '(?=a)' })] } };
    expect(toDraft2020(schema)).toEqual(schema);
  });

  it('writes what depends on a member in both of its forms', () => {
    const written = toDraft2020({ dependencies: { a: ['b'], c: { items: [true] } } });
    expect(written).toEqual({ dependentRequired: { a: ['b'] }, dependentSchemas: { c: { prefixItems: [true] } } });
    expect(toDraft2020({ dependencies: {} })).toEqual({});
    expect(toDraft2020({ items: [], additionalItems: { type: 'null' } })).toEqual({ items: { type: 'null' } });
  });

  it('keeps data as it is', () => {
    const data = { const: { items: [1] }, default: { $schema: 'x' }, enum: [{ items: [1] }] };
    expect(
      toDraft2020({ ...data, $schema: 'http://json-schema.org/draft-07/schema#', additionalItems: false }),
    ).toEqual(data);
  });
});
