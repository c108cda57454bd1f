// The form of an answer without a schema: its fields, what stays JSON, and that only what was touched changes (TS4).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { keepSpelling } from '../values/json/keep-spelling.ts';
import { parseJson, printJson } from '../values/json/lossless.ts';
import { AnswerForm } from './answer-form.svelte.ts';
import { fieldsOf, flatFields } from './fields.ts';
import { inferSchema } from './infer-schema.ts';

/** The fields of the form of a JSON text; null where it is edited as JSON. */
function outline(text: string): string[] | null {
  const value = parseJson(text);
  const schema = inferSchema(value);
  if (schema === null) return null;
  return flatFields(fieldsOf(schema, value))
    .slice(1)
    .map(({ pointer, control, nullable }) => `${pointer} ${control.kind}${nullable ? '?' : ''}`);
}

/** A form over a text, and the text that it writes. */
function formOver(source: string) {
  const original = parseJson(source);
  const schema = inferSchema(original);
  if (schema === null) throw new Error('It is edited as JSON.');
  let written: string | null = null;
  const form = new AnswerForm({
    ...{ schema, inferred: true, original, text: printJson(original), pending: [], starts: false },
    onwrite: (text) => (written = text),
  });
  const at = (pointer: string) => {
    const field = flatFields(form.root).find((each) => each.pointer === pointer);
    if (field === undefined) throw new Error(pointer);
    return field;
  };
  /** The output that is sent: what did not change, byte for byte. */
  const sent = () => keepSpelling(source, written === null ? original : parseJson(written));
  return { form, at, sent };
}

const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const rows = (count: number): string => `{"rows":[${Array.from({ length: count }, () => '{"a":1,"b":"x"}').join()}]}`;

describe('the form of an answer without a schema', () => {
  it.each<[string, string, string[] | null]>([
    [
      'a nested object',
      '{"to":{"name":"Ana","zip":"1000"},"paid":true}',
      ['/to object', '/to/name text', '/to/zip text', '/paid boolean'],
    ],
    [
      'rows',
      '{"lines":[{"text":"a","sum":1},{"text":"b","sum":2}]}',
      [
        ...['/lines list', '/lines/0 object', '/lines/0/text text', '/lines/0/sum number'],
        ...['/lines/1 object', '/lines/1/text text', '/lines/1/sum number'],
      ],
    ],
    [
      'integers in one row and fractions in another',
      '[[1],[1.50]]',
      ['/0 list', '/0/0 number', '/1 list', '/1/0 number'],
    ],
    ['null in some rows', '[{"a":null},{"a":1}]', ['/0 object', '/0/a number?', '/1 object', '/1/a number?']],
    ['rows that are null', '{"a":[null,{"b":1}]}', ['/a list', '/a/0 absent?', '/a/1 object?', '/a/1/b number']],
    ['null alone', '{"a":{"b":null,"c":1}}', ['/a object', '/a/b json', '/a/c number']],
    [
      'members that only some rows have',
      '[{"a":1},{"b":"x"}]',
      [...['/0 object', '/0/a number', '/0/b text', '/1 object', '/1/a number', '/1/b text']],
    ],
    ['empty lists and objects', '{"a":[],"b":{},"c":1}', ['/a json', '/b json', '/c number']],
    [
      'a list that is empty in one row',
      '[{"a":[]},{"a":["x"]}]',
      [...['/0 object', '/0/a list', '/1 object', '/1/a list', '/1/a/0 text']],
    ],
    [
      'keys that JavaScript knows or sorts',
      '{"b":{"__proto__":1,"2":"x","1":"y","constructor":true}}',
      [...['/b object', '/b/__proto__ number', '/b/2 text', '/b/1 text', '/b/constructor boolean']],
    ],
    [
      'keys like keywords',
      '{"properties":{"$ref":"x","type":1,"items":{"$anchor":"y"}}}',
      [
        ...['/properties object', '/properties/$ref text', '/properties/type number'],
        ...['/properties/items object', '/properties/items/$anchor text'],
      ],
    ],
    ['big numbers', '{"a":{"id":12345678901234567890,"sum":1e2}}', ['/a object', '/a/id number', '/a/sum number']],
    ['five levels', nested(5), ['/a object', '/a/a object', '/a/a/a object', '/a/a/a/a object', '/a/a/a/a/a number']],
    ['six levels', nested(6), null],
    ['a mixed list', '{"a":[1,"x"]}', null],
    ['a column of several kinds', '[{"a":1},{"a":{"b":1}}]', null],
    ['nothing to type into', '{"a":[],"b":{}}', null],
    ['a text', '"x"', null],
  ])('has these fields: %s', (_, text, expected) => {
    expect(outline(text)).toEqual(expected);
  });

  it('holds so many fields, those of members that only other rows have included', () => {
    expect([outline(rows(30))?.length, outline(rows(31))]).toEqual([1 + 30 * 3, null]);
    const sparse = Array.from({ length: 8 }, (_, at) => ({ [`k${at}`]: at }));
    expect(inferSchema(sparse)).toBeNull();
    expect(inferSchema(sparse.slice(1))).not.toBeNull();
  });

  it('changes what was typed, and no other byte', () => {
    const source =
      '{ "id":12345678901234567890 , "rows" :[ {"2":1.0,"1":"\\u0041"},{"2":1e2, "1":"b"} ],"__proto__":{"x":-0}}';
    const { form, at, sent } = formOver(source);
    form.type(at('/rows/1/1'), 'c');
    expect(sent()).toBe(source.replace('"b"', '"c"'));
    form.type(at('/id'), '12345678901234567891');
    form.type(at('/__proto__/x'), '1');
    expect(sent()).toBe(source.replace('"b"', '"c"').replace('67890 ', '67891 ').replace('-0', '1'));
  });

  it('refuses only a number that is not valid yet', () => {
    const { form, at } = formOver('{"a":{"n":1,"t":"x"},"rows":[{"k":1}],"none":[]}');
    form.writeJson(at('/none'), '{"x":1}');
    form.leaveOut(at('/a/t'));
    form.removeEntry(at('/rows'), 0);
    expect(form.faults).toEqual([]);
    form.type(at('/a/n'), '1.');
    expect(form.messagesOf(at('/a/n'))).toEqual(['This must be a number.']);
    form.type(at('/a/n'), '1.5');
    expect(form.faults).toEqual([]);
  });

  it('adds a row like the others', () => {
    const { form, at, sent } = formOver('{"rows":[{"a":1,"b":"x"}]}');
    form.addEntry(at('/rows'));
    form.type(at('/rows/1/b'), 'y');
    form.type(at('/rows/1/a'), '2');
    expect(sent()).toBe('{"rows":[{"a":1,"b":"x"},{"a":2,"b":"y"}]}');
  });

  it('shows every value without changing it', () => {
    const key = fc.constantFrom('a', 'b', '2', '1', '__proto__', '', 'type');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('1.0', '1e2', 'null', 'true', '"x"', '98765432109876543210'),
        fc.array(tie('value'), { maxLength: 3 }).map((each) => `[${each.join(' , ')}]`),
        fc
          .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 3, selector: ([name]) => name })
          .map((each) => `{${each.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (source) => {
        const original: Json = parseJson(source);
        if (inferSchema(original) === null) return;
        const { form, sent } = formOver(source);
        expect(form.pending).toEqual([]);
        for (const field of flatFields(form.root)) form.reset(field);
        expect(sent()).toBe(source);
      }),
    );
  });
});
