// The official JSON-Schema-Test-Suite (draft 2020-12): what is supported passes, everything else is refused.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../json/json.ts';
import { compileSchema } from './compile.ts';
import { validate } from './evaluate.ts';
import { exactJson } from './exact-numbers.ts';
import { KEYWORDS, UNSUPPORTED_KEYWORDS } from './keywords.ts';

const SUITE = join(import.meta.dirname, '../../../../shared/data/json-schema-2020-12');

interface Group {
  description: string;
  schema: Json;
  tests: { description: string; data: Json; valid: boolean }[];
}

const FILES = existsSync(SUITE) ? readdirSync(SUITE).filter((file) => file.endsWith('.json')) : [];
const groupsOf = (file: string): Group[] => JSON.parse(readFileSync(join(SUITE, file), 'utf8')) as Group[];

/** An `$id` inside the schema, a reference to another document, another dialect, or a dynamic reference. */
const NOT_SUPPORTED: Readonly<Record<string, readonly string[]>> = {
  'anchor.json': [
    'Location-independent identifier with absolute URI',
    'Location-independent identifier with base URI change in subschema',
    'same $anchor with different base uri',
  ],
  'defs.json': ['validate definition against metaschema'],
  'ref.json': [
    'remote ref, containing refs itself',
    'Recursive references between schemas',
    'refs with relative uris and defs',
    'relative refs with absolute uris and defs',
    '$id must be resolved against nearest parent, not just immediate parent',
    'order of evaluation: $id and $ref',
    'order of evaluation: $id and $anchor and $ref',
    'order of evaluation: $id and $ref on nested schema',
    'URN ref with nested pointer ref',
    'ref to if',
    'ref to then',
    'ref to else',
    'ref with absolute-path-reference',
  ],
  'unevaluatedItems.json': ['unevaluatedItems with $dynamicRef'],
  'unevaluatedProperties.json': ['unevaluatedProperties with $dynamicRef'],
};
/** All of them. */
const FILES_NOT_SUPPORTED = ['dynamicRef.json', 'refRemote.json', 'vocabulary.json'];

const isSupported = (file: string, { description }: Group): boolean =>
  !FILES_NOT_SUPPORTED.includes(file) && !NOT_SUPPORTED[file]?.includes(description);

function verdictOf(schema: Json, data: Json): boolean {
  const compiled = compileSchema(JSON.stringify(schema));
  if (!compiled.ok) throw new Error(compiled.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('\n'));
  return validate(compiled.schema, exactJson(JSON.stringify(data))).length === 0;
}

describe.skipIf(FILES.length === 0)('TS3: the JSON-Schema-Test-Suite', () => {
  it.each(FILES)('%s: gives the verdict of each supported test, and refuses the other schemas', (file) => {
    for (const group of groupsOf(file)) {
      if (isSupported(file, group)) {
        const verdicts = group.tests.map(({ description, data }) => [description, verdictOf(group.schema, data)]);
        expect(verdicts, group.description).toEqual(group.tests.map(({ description, valid }) => [description, valid]));
      } else expect(compileSchema(JSON.stringify(group.schema)).ok, group.description).toBe(false);
    }
  });

  it('has at least 1100 supported tests, and one for each keyword that can refuse a value', () => {
    const tests = FILES.flatMap((file) => groupsOf(file).filter((group) => isSupported(file, group)));
    expect(tests.flatMap((group) => group.tests).length).toBeGreaterThan(1100);
    const text = JSON.stringify(tests.map(({ schema }) => schema));
    const annotations = /title|description|examples|deprecated|readOnly|writeOnly/;
    const tested = Object.keys(KEYWORDS).filter((keyword) => !annotations.test(keyword));
    expect(tested.filter((keyword) => !text.includes(`"${keyword}":`))).toEqual(['definitions']);
  });
});

describe('keywords that are not supported', () => {
  it.each(Object.keys(UNSUPPORTED_KEYWORDS))('refuses %s instead of ignoring it', (keyword) => {
    const compiled = compileSchema(JSON.stringify({ properties: { a: { [keyword]: '#a' } } }));
    expect(compiled).toEqual({
      ok: false,
      faults: [{ pointer: `/properties/a/${keyword}`, message: UNSUPPORTED_KEYWORDS[keyword] }],
    });
  });
});

describe('docs/spec/answer-schema.md', () => {
  it('lists the supported keywords and those that are refused', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/spec/answer-schema.md'), 'utf8');
    const keywordsIn = (text: string) => [...text.matchAll(/`([$\w]+)`/g)].map(([, keyword]) => keyword).sort();
    const table = [...page.matchAll(/^\| \w+(?: \w+)? +\| (`.*) \|$/gm)].map(([, cell = '']) => cell).join();
    expect(keywordsIn(table)).toEqual(Object.keys(KEYWORDS).sort());
    const refused = /^Refused, .*?:(.*?);/m.exec(page)?.[1] ?? '';
    expect(keywordsIn(refused)).toEqual(Object.keys(UNSUPPORTED_KEYWORDS).sort());
  });
});
