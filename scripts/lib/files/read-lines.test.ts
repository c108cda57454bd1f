// Tests cutting a stream of bytes into lines.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines, type Line } from './read-lines.ts';

async function* stream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

async function read(chunks: Iterable<string>, maxLineBytes = 1000): Promise<Line[]> {
  return collect(
    [...chunks].map((chunk) => Buffer.from(chunk)),
    maxLineBytes,
  );
}

async function collect(chunks: Uint8Array[], maxLineBytes = 1000): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of readLines(stream(chunks), maxLineBytes)) lines.push(line);
  return lines;
}

const text = (line: Line): string => Buffer.from(line.bytes).toString();

describe('readLines', () => {
  it('numbers lines from 1 and takes a last line without a newline', async () => {
    const lines = await read(['a\n\nb']);
    expect(lines.map((line) => [line.number, text(line)])).toEqual([
      [1, 'a'],
      [2, ''],
      [3, 'b'],
    ]);
  });

  it('yields no empty line after a last newline, and none for an empty file', async () => {
    expect(await read(['a\n'])).toHaveLength(1);
    expect(await read([])).toHaveLength(0);
  });

  it('does not cut at U+2028, which may stand in a JSON string', async () => {
    expect((await read(['"a\u2028b"\n'])).map(text)).toEqual(['"a\u2028b"']);
  });

  it('cuts the same lines wherever the chunks end', async () => {
    const chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r'), maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(chunks, async (parts) => {
        const whole = parts.join('');
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        const bytes = Array.from(Buffer.from(whole), (byte) => Uint8Array.of(byte));
        for (const pieces of [parts.map((part) => Buffer.from(part)), bytes]) {
          const lines = await collect(pieces);
          expect(lines.map(text)).toEqual(expected);
          expect(lines.map((line) => line.length)).toEqual(expected.map((line) => Buffer.byteLength(line)));
        }
      }),
    );
  });

  it('retains only the beginning of an endless line, and reports its length', async () => {
    const megabyte = 'x'.repeat(1024 * 1024);
    const [long, next] = await read([...Array.from({ length: 50 }, () => megabyte), '\nnext'], 4096);
    expect(long?.length).toBe(50 * 1024 * 1024);
    expect(long?.bytes.length).toBeLessThanOrEqual(1024 * 1024);
    expect(next === undefined ? '' : text(next)).toBe('next');
  });
});
