// A paused run as text: nothing of a conversation changes, and no text is taken for another.
import fc from 'fast-check';
import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { AlreadyReleasedError } from './errors.ts';
import { fromJson, toJson } from './stored-run.ts';

const kept = (value: unknown): unknown => {
  const messages = [{ role: 'user', content: value }] as ModelMessage[];
  return fromJson(toJson({ id: 'stop', messages })).messages[0]?.content;
};

describe('toJson and fromJson', () => {
  it('keep bytes, dates and addresses', () => {
    const content = {
      bytes: Uint8Array.of(0, 128, 255),
      at: new Date(5),
      url: new URL('https://example.org/a'),
      n: null,
    };
    expect(kept(content)).toEqual(content);
    expect(kept({ buffer: Uint8Array.of(1, 2).buffer })).toEqual({ buffer: Uint8Array.of(1, 2) });
  });

  it('keep any JSON, also what a model writes to look like a date', () => {
    const forged = fc.record({
      $countersign: fc.constantFrom('date', 'bytes', 'url', 'object'),
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(forged, fc.jsonValue(), fc.array(forged))), (values) => {
        // JSON itself has one zero.
        const plain: unknown = JSON.parse(JSON.stringify(values));
        expect(kept(plain)).toEqual(plain);
      }),
    );
  });

  it('refuse a run that was released, and another text', () => {
    const run = { id: 'stop', messages: [] };
    expect(() => fromJson(toJson(run, { released: true }))).toThrow(AlreadyReleasedError);
    for (const text of ['{}', 'null', '[]', '{"id":"stop","messages":[]}'])
      expect(() => fromJson(text)).toThrow(TypeError);
    expect(() => fromJson('')).toThrow(SyntaxError);
  });
});
