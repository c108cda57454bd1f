// Tests turning one line into a request body and an idempotency key.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../files/read-lines.ts';
import { countEarlier, LINE_BYTES, prepareLine, type Prepared, type Ready } from './line.ts';

const PROJECT = '0199c0de-7a7e-7000-8000-00000000000a';
const OTHER = '0199c0de-7a7e-7000-8000-00000000000b';

function line(text: string | Uint8Array, number = 1): Line {
  const bytes = Buffer.from(text);
  return { number, bytes, length: bytes.length };
}

function prepare(text: string | Uint8Array, number = 1, earlier = countEarlier()): Prepared {
  return prepareLine(line(text, number), PROJECT, earlier);
}

function ready(text: string, number = 1, earlier = countEarlier()): Ready {
  const prepared = prepare(text, number, earlier);
  if (prepared.kind !== 'ready') throw new Error(`not ready: ${JSON.stringify(prepared)}`);
  return prepared;
}

describe('prepareLine: the body', () => {
  it('puts the project in front and leaves every other character alone: number spelling, key order, spaces, escapes', () => {
    const rest = ' "z":1.0, "a":1e2,"z2":12345678901234567890 ,"u":"\\u00e9\u2028", "confidence":0.90 }';
    expect(ready(`{${rest}`).body).toBe(`{"project_id":"${PROJECT}",${rest}`);
  });

  it('adds the project to any object and nothing else', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue()).filter((value) => !Object.hasOwn(value, 'project_id'));
    fc.assert(
      fc.property(objects, (value) => {
        const text = JSON.stringify(value);
        const { body } = ready(text);
        expect(body.replace(/^\{"project_id":"[^"]+",?/, '{')).toBe(text);
        expect(JSON.parse(body)).toMatchObject({ project_id: PROJECT });
      }),
    );
  });

  it('leaves a line that names the same project unchanged, in upper or lower case', () => {
    const text = `{"input":1,"project_id":"${PROJECT.toUpperCase()}"}`;
    expect(ready(text).body).toBe(text);
  });

  it.each([`"${OTHER}"`, 'null', '7'])('refuses a line whose project_id is %s', (own) => {
    expect(prepare(`{"project_id":${own}}`)).toMatchObject({ kind: 'refused', code: 'project_mismatch' });
  });

  it('sees a project_id that is spelt with escapes', () => {
    expect(prepare(`{"project\\u005fid":"${OTHER}"}`)).toMatchObject({ code: 'project_mismatch' });
  });

  it('takes CRLF files and a byte order mark at the start of the file', () => {
    expect(ready('\uFEFF{"input":1}\r').body).toBe(`{"project_id":"${PROJECT}","input":1}`);
    // Where files were joined, or lines sorted.
    expect(ready('\uFEFF{"input":1}', 2).key).toBe(ready('{"input":1}').key);
  });

  it.each(['', '\r', ' \t\r'])('skips a blank line (%j)', (text) => {
    expect(prepare(text)).toEqual({ kind: 'blank' });
  });

  it.each(['{"input":', '[{"input":1}]', '"text"', 'null', '{"a":1}{"b":2}', '\u00a0{"a":1}'])(
    'refuses what is not one JSON object: %s',
    (text) => {
      expect(prepare(text)).toMatchObject({ kind: 'refused', code: 'invalid_json' });
    },
  );

  it('refuses bytes that are not UTF-8 instead of replacing them', () => {
    expect(prepare(Buffer.from('{"input":"\u00e9"}', 'latin1'))).toMatchObject({ code: 'invalid_json' });
  });

  it('refuses an item beyond the limit, cut or whole, and takes one at the limit', () => {
    const limit = 256 * 1024;
    const frame = `{"project_id":"${PROJECT}","input":""}`.length;
    expect(ready(`{"input":"${'x'.repeat(limit - frame)}"}`).body).toHaveLength(limit);
    expect(prepare(`{"input":"${'x'.repeat(limit - frame + 1)}"}`)).toMatchObject({ code: 'payload_too_large' });
    const cut: Line = { number: 1, bytes: Buffer.alloc(LINE_BYTES), length: 5 * 1024 * 1024 };
    expect(prepareLine(cut, PROJECT, countEarlier())).toMatchObject({ code: 'payload_too_large', detail: /5120 KiB/ });
  });
});

describe('prepareLine: the idempotency key', () => {
  it('is 64 hex characters and the same on every run, also when only the line ending changed', () => {
    const { key } = ready('{"input":1}', 3);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(ready('{"input":1}\r', 3).key).toBe(key);
  });

  it('differs by project and by text', () => {
    const here = ready('{"input":1}', 3).key;
    const elsewhere = prepareLine(line('{"input":1}', 3), OTHER, countEarlier());
    expect(ready('{"input":1.0}', 3).key).not.toBe(here);
    expect(elsewhere).not.toMatchObject({ key: here });
  });

  const keysOf = (texts: readonly string[]): string[] => {
    const earlier = countEarlier();
    return texts.flatMap((text, index) => {
      const prepared = prepare(text, index + 1, earlier);
      return prepared.kind === 'ready' ? [prepared.key] : [];
    });
  };
  const texts = fc.array(fc.constantFrom('{"input":1}', '{"input":2}', '{"input":3}', '{"input":', ''), {
    maxLength: 12,
  });

  it('SF1: depends on the text and on how many equal lines precede it, not on its position or on invalid lines', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (file, chance) => {
        const moved = file.map((text, index) => ({ text, at: chance[index] ?? 0 })).sort((a, b) => a.at - b.at);
        const keys = keysOf(file);
        expect(keysOf(moved.map(({ text }) => text)).sort()).toEqual(keys.toSorted());
        const mended = file.filter((text) => text !== '{"input":').map((text) => `${text}\r`);
        expect(keysOf(mended)).toEqual(keys);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
