// Tests by property that one fault in a valid submission is refused by name, at its place, and nothing is stored.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { bodyText, submissionTexts, type SubmissionTexts } from './submission-arbitraries.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const submit = (body: string | Buffer) =>
  ask(served, {
    method: 'POST',
    path: '/api/public/items',
    headers: { 'content-type': 'application/json', 'x-api-key': project.pipeline.apiKey },
    body,
  });

async function nothingIsStored(): Promise<void> {
  expect(served.failures).toEqual([]);
  const [row] = await inside.sql<{ n: number }>('select count(*)::int as n from item where project_id = ?', [
    project.id,
  ]);
  expect(row?.n).toBe(0);
}

function expectRefused({ status, text }: Raw, expected: { pointer: string; code?: string }, body: string): void {
  expect(status, `${text}\n${body.slice(0, 500)}`).toBe(422);
  const { code, errors = [] } = problem.parse(JSON.parse(text));
  expect(code, text).toBe('validation_failed');
  expect(
    errors.map(({ pointer }) => pointer),
    body.slice(0, 500),
  ).toContain(expected.pointer);
  if (expected.code !== undefined) expect(errors.map((error) => error.code)).toContain(expected.code);
}

const GOOD: SubmissionTexts = { input: '1', suggestion: '"a"', confidence: '0.8', risk_flags: null, metadata: null };
const list = (length: number, member: string) => `[${Array<string>(length).fill(member).join()}]`;
const object = (keys: number) => `{${Array.from({ length: keys }, (_, n) => `"k${n}":1`).join()}}`;

/** A member, its replacement, and the place of the fault. */
const BAD_MEMBERS: [keyof SubmissionTexts | 'project_id', string, string][] = [
  ...['null', '"0.8"', '[]', '{}', 'true', '2', '-1', '1.0000000000000002', '-5e-324', '1e400', '-1e400'].map(
    (text): (typeof BAD_MEMBERS)[number] => ['confidence', text, '#/confidence'],
  ),
  ...['null', '"legal"', '{}', '7', list(51, '"a"')].map((text): (typeof BAD_MEMBERS)[number] => [
    'risk_flags',
    text,
    '#/risk_flags',
  ]),
  ['risk_flags', '["a",1]', '#/risk_flags/1'],
  ['risk_flags', '[""]', '#/risk_flags/0'],
  ['risk_flags', `["${'x'.repeat(101)}"]`, '#/risk_flags/0'],
  ...['null', '"a"', '[]', '7', object(51), object(50).replace('}', ',"__proto__":1}')].map(
    (text): (typeof BAD_MEMBERS)[number] => ['metadata', text, '#/metadata'],
  ),
  ...['null', '"demo"', '7', '[]', '""'].map((text): (typeof BAD_MEMBERS)[number] => [
    'project_id',
    text,
    '#/project_id',
  ]),
];

/** What no place inside a payload may hold, with its error code; `deeper` extends the pointer from there. */
const BAD_VALUES: [text: string, code: string, deeper?: string][] = [
  ['"a\\u0000b"', 'nul'],
  ['{"\\u0000":1}', 'nul', '/%00'],
  ['"\\ud800"', 'lone_surrogate'],
  ['"\\udc00\\ud800"', 'lone_surrogate'],
  ['9007199254740992', 'integer_too_large'],
  ['-9007199254740993', 'integer_too_large'],
  [`1${'0'.repeat(400)}`, 'number_overflow'],
  ['1e309', 'number_overflow'],
  ['-1.5E400', 'number_overflow'],
  ['{"a":1,"a":1}', 'duplicate_key', '/a'],
  ['{"a":1,"\\u0061":2}', 'duplicate_key', '/a'],
  ['{"__proto__":1,"__proto__":2}', 'duplicate_key', '/__proto__'],
  [`{"${'k'.repeat(257)}":1}`, 'key_too_long', `/${'k'.repeat(256)}`],
  [`${'['.repeat(33)}${']'.repeat(33)}`, 'too_deep'],
  [list(10_001, '0'), 'too_many_nodes'],
];

/** Paths into a payload: the text before and after the place, and its pointer. */
const WAYS: [before: string, after: string, pointer: string][] = [
  ['', '', ''],
  ['[1,[],', ']', '/2'],
  ['{"a":"}","k~/é %":', ',"b":"{"}', '/k~0~1%C3%A9%20%25'],
  ['{"constructor":[{"":', '}]}', '/constructor/0/'],
];

describe('one fault', () => {
  it('in a member is refused at that member', { timeout: 120_000 }, async () => {
    const faults = fc.tuple(submissionTexts, fc.constantFrom(...BAD_MEMBERS));
    await fc.assert(
      fc.asyncProperty(faults, async ([texts, [member, text, pointer]]) => {
        const body = bodyText(project.id, { ...texts, [member]: text });
        expectRefused(await submit(body), { pointer }, body);
      }),
      { numRuns: 120, examples: BAD_MEMBERS.map((bad) => [[GOOD, bad]]) },
    );
    await nothingIsStored();
  });

  it('in the set of members, missing or unknown, is refused at its name', async () => {
    const required = fc.constantFrom('project_id', 'input', 'suggestion', 'confidence');
    const strange = fc.constantFrom('risk_flag', 'Input', '', 'constructor', 'toString', '__proto__', 'a/b', 'id');
    await fc.assert(
      fc.asyncProperty(submissionTexts, required, strange, async (texts, missing, unknown) => {
        const without = bodyText(project.id, { ...texts, [missing]: null });
        expectRefused(await submit(without), { pointer: `#/${missing}` }, without);
        const body = bodyText(project.id, texts).replace('{', `{${JSON.stringify(unknown)}:1,`);
        const pointer = `#/${unknown.replace('/', '~1')}`;
        expectRefused(await submit(body), { pointer, code: 'unknown_field' }, body);
      }),
      { numRuns: 40 },
    );
    await nothingIsStored();
  });

  it('anywhere inside a payload is refused at its place', { timeout: 120_000 }, async () => {
    const places = fc.tuple(fc.constantFrom('input', 'suggestion', 'metadata'), fc.constantFrom(...WAYS));
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom(...BAD_VALUES), async ([member, way], [bad, code, deeper = '']) => {
        const inner = `${way[0]}${bad}${way[1]}`;
        const text = member === 'metadata' ? `{"m":${inner}}` : inner;
        const body = bodyText(project.id, { ...GOOD, [member]: text });
        const raw = await submit(body);
        expect(raw.status, raw.text).toBe(422);
        const { errors = [] } = problem.parse(JSON.parse(raw.text));
        const [first] = errors.filter((error) => error.code === code);
        const place = `#/${member}${member === 'metadata' ? '/m' : ''}${way[2]}${deeper}`;
        // Depth and count are checked during parsing: the pointer names where the limit was exceeded.
        const exact = !code.startsWith('too_');
        expect(first?.pointer.slice(0, exact ? undefined : place.length), raw.text).toBe(place);
      }),
      { numRuns: 200 },
    );
    await nothingIsStored();
  });

  it('in the text itself is invalid JSON', async () => {
    const good = bodyText('0197f1a0-0000-7000-8000-000000000001', GOOD);
    const broken = fc.oneof(
      fc.nat(good.length - 2).map((length) => Buffer.from(good.slice(0, length + 1))),
      fc
        .constantFrom(`${good},`, `[${good}`, good.replace('"', "'"), good.replace('}', ',}'), `${good}${good}`)
        .map(Buffer.from),
      fc
        .constantFrom('NaN', 'Infinity', '01', '+1', '.5', '1.', '0x1', "'a'", '"\t"', '"\u0000"', '"\\x41"', '"\\ud8"')
        .map((text) => Buffer.from(bodyText('x', { ...GOOD, input: text }))),
      fc
        .constantFrom(0xff, 0xc0, 0xed)
        .map((byte) => Buffer.concat([Buffer.from('{"input":"'), Buffer.from([byte]), Buffer.from('"}')])),
    );
    await fc.assert(
      fc.asyncProperty(broken, async (body) => {
        const { status, text } = await submit(body);
        expect([status, problem.parse(JSON.parse(text)).code], body.toString('latin1')).toEqual([400, 'invalid_json']);
      }),
      { numRuns: 100 },
    );
    await nothingIsStored();
  });
});
