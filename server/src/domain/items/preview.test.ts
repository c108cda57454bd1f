// The preview of an item in a list, for every shape of input that a pipeline may send.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_PREVIEW, previewOf } from './preview.ts';

describe('the preview of an input', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'What is 2 + 2?', 'What is 2 + 2?'],
    ['a text of several lines', '  one\n\ttwo\r\n\u00a0three  ', 'one two three'],
    ['an empty text', '', ''],
    ['a number', 12.5, '12.5'],
    ['true', true, 'true'],
    ['null', null, 'null'],
    ['an empty object', {}, '{}'],
    ['an empty list', [], '[]'],
    ['a question before anything else', { id: 'x-1', question: 'Why?' }, 'Why?'],
    ['a subject before its body', { body: 'Hello', subject: 'Refund' }, 'Refund'],
    ['a question that is empty', { question: '', text: 'The text' }, 'The text'],
    ['a question that is not text', { question: 7, text: 'The text' }, 'The text'],
    ['an object with other keys', { customer: 'Ada', amount: 3 }, 'Ada'],
    ['an object of numbers', { amount: 3, tax: 1 }, '{"amount":3,"tax":1}'],
    ['an object whose first relevant member is an object', { amount: 3, ticket: { title: 'Lost' } }, 'Lost'],
    ['a list of texts', ['first', 'second'], 'first'],
    ['a chat: the last user message', chat('system', 'user', 'assistant', 'user'), 'user 3'],
    ['a chat without a user: its first turn', chat('system', 'assistant'), 'system 0'],
    ['a chat inside an object', { messages: chat('user', 'assistant') }, 'user 0'],
    ['a member that is null before a text', { ref: null, text: 'Text' }, 'Text'],
    ['nothing but null members', { ref: null }, '{"ref":null}'],
    ['a turn that is null', [null, { role: 'user', content: 'Hi' }], 'Hi'],
    ['a null before another text', { ref: null, customer: 'Ada' }, 'Ada'],
    [
      'a turn of texts and pictures',
      [{ role: 'user', content: [{ type: 'text', text: 'Is it broken?' }] }],
      'Is it broken?',
    ],
    ['a picture', file('image/png', 12_000), 'Image, PNG, 12 KiB'],
    ['a picture of a few bytes', file('image/jpeg', 68), 'Image, JPEG, 68 bytes'],
    ['a drawing', file('image/svg+xml', 2048), 'Image, SVG, 2 KiB'],
    ['sound', file('audio/mpeg', 1025), 'Audio, MP3, 2 KiB'],
    ['sound with a parameter', file('audio/ogg;codecs=opus', 1), 'Audio, OGG, 1 byte'],
    ['a film', file('video/mp4', 100_000), 'Video, MP4, 98 KiB'],
    ['a PDF', file('application/pdf', 40_000), 'PDF, 40 KiB'],
    ['any other file', file('application/zip', 1), 'File, ZIP, 1 byte'],
    ['a file of a type with a long name', file('application/vnd.ms-excel.sheet', 2), 'File, 2 bytes'],
    ['a picture beside a number', { photo: file('image/png', 3), damaged: true }, 'Image, PNG, 3 bytes'],
    ['a text beside a picture', { photo: file('image/png', 3), claim: 'Broken' }, 'Broken'],
    ['a picture in the place of the question', { content: file('image/png', 3), id: 'x-1' }, 'x-1'],
    ['a text after a picture in a list', [file('image/png', 3), 'Broken'], 'Broken'],
    ['pictures alone in a list', [file('image/png', 3), file('image/gif', 6)], 'Image, PNG, 3 bytes'],
    ['pictures too deep to choose from', deep({ a: file('image/png', 3) }), '{"a":"Image, PNG, 3 bytes"}'],
    ['a data URL that is text', 'data:text/plain,hello', 'data:text/plain,hello'],
    ['text under a key that every object has', JSON.parse('{"__proto__":"odd"}') as unknown, 'odd'],
  ])('QU29: previews %s', (_, input, expected) => {
    expect(previewOf(input)).toBe(expected);
  });

  it('QU28: is recognized where it only names a file', () => {
    const pattern = new RegExp(FILE_PREVIEW);
    for (const type of [
      'image/png',
      'image/svg+xml',
      'audio/mpeg',
      'application/pdf',
      'application/vnd.ms-excel.sheet',
    ])
      for (const bytes of [1, 5000]) expect(previewOf(file(type, bytes))).toMatch(pattern);
    expect(previewOf('Image, PNG, 3 KiB of it')).not.toMatch(pattern);
  });

  it('has at most 140 characters, the last of them an ellipsis when the text is longer', () => {
    const line = previewOf('x'.repeat(141));
    expect(line).toBe(`${'x'.repeat(139)}…`);
    expect(previewOf('x'.repeat(140))).toBe('x'.repeat(140));
  });

  it('never splits a character', () => {
    for (const lead of ['', 'a', 'ab']) {
      const line = previewOf(`${lead}${'🜁'.repeat(200)}`);
      expect(line.isWellFormed()).toBe(true);
      expect(Array.from(line)).toHaveLength(140);
    }
  });

  it('stops at a depth limit and shows the JSON instead', () => {
    let deep: unknown = 'the bottom';
    for (let level = 0; level < 30; level += 1) deep = { a: deep };
    expect(previewOf(deep)).toMatch(/^\{"a":\{"a":/);
  });

  it('by property: is one line of at most 140 whole characters, the same every time', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small', maxDepth: 3 }), (input) => {
        const line = previewOf(input);
        expect(Array.from(line).length).toBeLessThanOrEqual(140);
        expect(line.isWellFormed()).toBe(true);
        expect(line).not.toMatch(/[\n\r\t]|^\s|\s$/);
        expect(previewOf(structuredClone(input))).toBe(line);
      }),
      { numRuns: 200 },
    );
  });

  it('by property: shows the beginning of a long text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aé \n\u00a0🜁', '…', 'e\u0301'), minLength: 100, maxLength: 400 }),
        (text) => {
          const folded = text.replace(/\s+/gu, ' ').trim();
          const line = previewOf(text);
          expect(line.isWellFormed()).toBe(true);
          expect(folded.startsWith(Array.from(line).slice(0, 139).join(''))).toBe(true);
          expect(Array.from(line).length).toBe(Math.min(140, Array.from(folded).length));
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A `data:` value of this many bytes. */
const file = (type: string, bytes: number) => `data:${type};base64,${Buffer.alloc(bytes).toString('base64')}`;

/** Below the levels that are looked through. */
function deep(value: unknown): unknown {
  return [[[[[value]]]]];
}

function chat(...roles: string[]): { role: string; content: string }[] {
  return roles.map((role, index) => ({ role, content: `${role} ${index}` }));
}
