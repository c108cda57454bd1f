// The I-JSON parser: every error by code and pointer, and the exact text of every member (I7).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import { parseBody } from './i-json.ts';

const parse = (text: string) => parseBody(Buffer.from(text));

function refusal(body: string | Uint8Array): Refusal {
  try {
    parseBody(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('The body was accepted.');
}

/** The errors as `code pointer`, in order. */
const faults = (body: string) => (refusal(body).extras.errors ?? []).map(({ code, pointer }) => `${code} ${pointer}`);

/** This many nested lists. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Strings of characters that a careless scanner misreads. */
const words = fc.string({ unit: fc.constantFrom(...'aé😀"\\/\n\u2028{}[]:, ', '\ufeff', '__proto__'), maxLength: 8 });
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    words,
    fc.constantFrom(0, -0, 1.5, -1e-7, 5e-324, 9_007_199_254_740_991, true, false, null),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(words, tie('tree'), { maxKeys: 4 }),
  ),
}));

describe('I7: the text of a member', () => {
  it.each([
    ['1.0'],
    ['1e2'],
    ['1E+2'],
    ['-0'],
    ['0.10000000000000000555'],
    ['"\\u00e9\\/\\b"'],
    ['"é🜁"'],
    ['[ 1 ,\t2\r\n]'],
    ['{ "b" : 1, "a" : [ ] }'],
    ['{"2":0,"1":0}'],
    ['""'],
    ['null'],
    ['true'],
    ['false'],
    ['{}'],
    ['[[],{"a":[{}]}]'],
    ['"a string with \\"quotes\\", {brackets} and \\\\"'],
    ['"ends with a backslash \\\\"'],
  ])('%s is retained unchanged', (text) => {
    const { raw, value } = parse(` { "before" : 0 ,\n"member" : ${text} , "after":[1]} `);
    expect(raw.get('member')).toBe(text);
    expect([...raw]).toEqual([
      ['before', '0'],
      ['member', text],
      ['after', '[1]'],
    ]);
    expect(value).toEqual({ before: 0, member: JSON.parse(text) as unknown, after: [1] });
  });

  it('finds a member whose name is written with escapes', () => {
    expect(parse('{"\\u0069nput":1}').raw.get('input')).toBe('1');
  });

  it('includes only members of the body itself', () => {
    expect([...parse('{"a":{"b":1,"c":{"d":2}},"e":3}').raw.keys()]).toEqual(['a', 'e']);
    expect(parse('[{"a":1}]').raw.size).toBe(0);
  });

  it.each(['1', '"text"', 'null', ' [ ] ', '{}'])('a body that is %s has no members', (text) => {
    expect(parse(text)).toEqual({ value: JSON.parse(text) as unknown, raw: new Map() });
  });

  it('by property: any JSON in any spelling', () => {
    const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
    const spelled = fc
      .tuple(tree, fc.constantFrom(undefined, 1, '\t'), fc.boolean())
      .map(([value, indent, escaped]) => {
        const text = JSON.stringify(value, null, indent);
        return escaped ? text.replaceAll(/[^\x20-\x7e\n\t]/g, escape) : text;
      });
    const members = fc.uniqueArray(fc.tuple(words, spelled, space), { selector: ([name]) => name, maxLength: 5 });
    fc.assert(
      fc.property(members, space, (given, around) => {
        const inside = given.map(([name, text, gap]) => `${gap}${JSON.stringify(name)}${gap}:${around}${text}${gap}`);
        const body = `${around}{${inside.join(',')}}${around}`;
        const { raw, value } = parse(body);
        expect([...raw]).toEqual(given.map(([name, text]) => [name, text]));
        expect(value).toEqual(JSON.parse(body));
      }),
      { numRuns: 300 },
    );
  });
});

describe('errors, each with its pointer', () => {
  it.each([
    ['{"input":"a\\u0000b"}', ['nul #/input']],
    ['{"a\\u0000":1}', ['nul #/a%00']],
    ['"\\u0000"', ['nul #']],
    ['{"input":{"deep":[0,"\\u0000"]}}', ['nul #/input/deep/1']],
    ['{"input":"\\ud83d"}', ['lone_surrogate #/input']],
    ['{"input":"\\ude00\\ud83d"}', ['lone_surrogate #/input']],
    ['{"a":{"\\ud83d":1}}', ['lone_surrogate #/a/%EF%BF%BD']],
    ['{"\\ud83d":{"b":"\\udc00"}}', ['lone_surrogate #/%EF%BF%BD', 'lone_surrogate #/%EF%BF%BD/b']],
    ['{"a":1,"a":1}', ['duplicate_key #/a']],
    ['{"a":1,"\\u0061":2}', ['duplicate_key #/a']],
    ['{"x":[{"a":{},"b":0,"a":{}}]}', ['duplicate_key #/x/0/a']],
    ['{"__proto__":1,"__proto__":2}', ['duplicate_key #/__proto__']],
    ['{"n":9007199254740992}', ['integer_too_large #/n']],
    ['{"n":-9007199254740992}', ['integer_too_large #/n']],
    ['{"n":[1,123456789012345678901234567890]}', ['integer_too_large #/n/1']],
    ['{"n":1e400}', ['number_overflow #/n']],
    ['{"n":-1E+400}', ['number_overflow #/n']],
    ['{"a/b":{"c~d":{"%":"\\u0000"}}}', ['nul #/a~1b/c~0d/%25']],
    ['{"é x":"\\u0000"}', ['nul #/%C3%A9%20x']],
    ['{"a":"\\u0000","b":1e400,"c":{"d":1,"d":1}}', ['nul #/a', 'number_overflow #/b', 'duplicate_key #/c/d']],
  ])('%s', (body, expected) => {
    expect(refusal(body).code).toBe('validation_failed');
    expect(faults(body)).toEqual(expected);
  });

  it.each([
    '{"n":9007199254740991}',
    '{"n":-9007199254740991}',
    '{"n":9007199254740993.5}',
    '{"n":9007199254740992.0}',
    '{"n":1e20}',
    '{"n":1.7976931348623157e308}',
    '{"n":1e-400}',
    '{"n":-0}',
    '{"s":"\\ud83d\\ude00"}',
    '{"s":"\\u0001\\u001f\\u007f\\ufffe\\uffff"}',
    '{"a":{"x":1},"b":{"x":1}}',
    '{"a":1,"A":1}',
    '{"":{"":""}}',
  ])('I-JSON accepts %s', (body) => {
    expect(parse(body).value).toEqual(JSON.parse(body));
  });

  it(`accepts a key of ${LIMITS.keyLength} characters, and no longer one`, () => {
    const longest = 'k'.repeat(LIMITS.keyLength);
    expect(parse(`{"${longest}":{"${longest}":1}}`).raw.size).toBe(1);
    expect(faults(`{"a":{"${longest}k":1}}`)).toEqual([`key_too_long #/a/${longest}`]);
  });

  it('counts the characters of a key as code points', () => {
    const longest = '😀'.repeat(LIMITS.keyLength);
    expect(parse(`{"${longest}":1}`).raw.size).toBe(1);
    expect(faults(`{"${longest}k":1}`)[0]).toMatch(/^key_too_long /);
  });

  it('does not repeat a long key in the response', () => {
    const body = `{"${'é'.repeat(100_000)}":[${'"\\u0000",'.repeat(30)}0]}`;
    expect(JSON.stringify(refusal(body).extras).length).toBeLessThan(100_000);
  });

  it('points at what contains the fault where its pointer has no room', () => {
    const [key, wide] = ['k'.repeat(200), '€'.repeat(200)];
    expect(faults(`{"${key}":{"${key}":{"${key}":{"a":"\\u0000"}}}}`)).toEqual([`nul #/${key}/${key}`]);
    expect(faults(`{"${wide}":["\\u0000"],"b":"\\u0000"}`)).toEqual(['nul #', 'nul #/b']);
  });

  it('answers a small body with a small response, however its keys nest', () => {
    const wide = '€'.repeat(LIMITS.keyLength);
    const values = Array.from({ length: 20 }, (_, at) => `"${at}":"\\ud800"`).join(',');
    const body = `${`{"${wide}":`.repeat(LIMITS.depth)}{${values}}${'}'.repeat(LIMITS.depth)}`;
    expect(faults(body)).toHaveLength(20);
    expect(JSON.stringify(refusal(body).extras).length).toBeLessThan(20_000);
  });

  it('has a pointer for a long key that is cut between two characters', () => {
    expect(faults(`{"${'k'.repeat(LIMITS.keyLength - 1)}😀😀":1}`)[0]).toMatch(/k%F0%9F%98%80$/);
  });

  it(`accepts depth ${LIMITS.depth} within a member, and no more`, () => {
    expect(parse(`{"input":${nested(LIMITS.depth)}}`).raw.get('input')).toBe(nested(LIMITS.depth));
    expect(faults(`{"input":${nested(LIMITS.depth + 1)}}`)).toEqual([`too_deep #/input${'/0'.repeat(LIMITS.depth)}`]);
    const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect(parse(`{"input":${objects(LIMITS.depth)}}`).raw.size).toBe(1);
    expect(faults(`{"input":${objects(LIMITS.depth + 1)}}`)).toHaveLength(1);
  });

  it(`accepts ${LIMITS.nodes} values, and no more`, () => {
    const listOf = (count: number) => `{"a":[${Array.from({ length: count }, () => '0').join(',')}]}`;
    expect(parse(listOf(LIMITS.nodes - 2)).raw.size).toBe(1);
    expect(faults(listOf(LIMITS.nodes - 1))).toEqual([`too_many_nodes #/a/${LIMITS.nodes - 2}`]);
  });

  it('stops after twenty errors', () => {
    expect(faults(`[${Array.from({ length: 1000 }, () => '1e400').join(',')}]`)).toHaveLength(20);
  });

  it('reports an overflow for an integer of 400 digits', () => {
    expect(faults(`{"n":${'9'.repeat(400)}}`)).toEqual(['number_overflow #/n']);
  });

  it('says what to do, and repeats nothing of the body', () => {
    for (const error of refusal('{"secret":"hunter2\\u0000","x":1e400,"y":12345678901234567890}').extras.errors ?? []) {
      expect(error.detail).toMatch(/^[A-Z].*\.$/);
      expect(error.detail).not.toMatch(/hunter2|1e400|12345/);
    }
  });
});

describe('invalid JSON', () => {
  it.each([
    ['nothing', ''],
    ['spaces', '  \n'],
    ['a half', '{"a":'],
    ['two values', '{} {}'],
    ['a comma too many', '[1,]'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '[Infinity]'],
    ['a leading zero', '[01]'],
    ['a plus', '[+1]'],
    ['a comment', '{} // x'],
    ['a raw line break in a text', '"a\nb"'],
    ['a raw NUL', '"\u0000"'],
    ['a form feed between tokens', '[1,\f2]'],
    ['a no-break space between tokens', '[1,\u00a02]'],
    ['an unfinished escape', '"\\u12"'],
  ])('%s', (_, body) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid_json', extras: {} });
  });

  it.each([
    ['a byte that never occurs', [0x22, 0xff, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in bytes', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character cut short', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses %s as invalid UTF-8', (_, bytes) => {
    expect(refusal(Uint8Array.from(bytes)).code).toBe('invalid_json');
  });

  it('skips a byte order mark, as RFC 8259 allows', () => {
    expect(parse('\ufeff{"a":1.0}').raw.get('a')).toBe('1.0');
    expect(refusal('\ufeff{"a":1,}').message).toContain('At line 1, column 8 a name in double quotes was expected.');
  });

  it('skips one byte order mark only', () => {
    expect(refusal('\ufeff\ufeff{}').message).toContain('At line 1, column 1 a value was expected.');
  });
});

describe('hostile bodies', () => {
  it('refuses 200 000 brackets without a stack overflow', () => {
    expect(faults(nested(200_000))[0]).toMatch(/^too_deep #\/0/);
    expect(refusal('['.repeat(200_000)).code).toBe('invalid_json');
    expect(refusal('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)).code).toBe('validation_failed');
  });

  it('keeps the pointer of a deep error short', () => {
    expect(JSON.stringify(refusal(nested(200_000)).extras).length).toBeLessThan(10_000);
  });

  it('treats a key called __proto__ as a key and changes no object', () => {
    const { raw, value } = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(raw.get('__proto__')).toBe('{"polluted":true}');
  });

  it('by property: parses or refuses any bytes, and never throws another error', () => {
    const soup = fc.array(fc.constantFrom(...'{}[]:,"\\ute0-1.E \n', '"a"', 'null', '\\ud800', '\\u0000', '1e999'), {
      maxLength: 30,
    });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      soup.map((parts) => Buffer.from(parts.join(''))),
      tree.map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        try {
          const { value } = parseBody(given);
          expect(value).toEqual(
            JSON.parse(
              Buffer.from(given)
                .toString('utf8')
                .replace(/^\ufeff/, ''),
            ),
          );
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The same character as a \\u escape. */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
