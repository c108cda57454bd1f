// What of an error may be logged (K7): its kind and location, never its data.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { loggableError } from './statement-log.ts';

const failing = Object.assign(
  new Error(
    'null value in column "project_id" of relation "item" violates not-null constraint\n - detail: Failing row contains (7, The customer wrote: hello).',
  ),
  { code: '23502', detail: 'Failing row contains (7, The customer wrote: hello).', where: 'hello', query: 'hello' },
);

describe('K7: an error in a log', () => {
  it('has its kind, code, location and the names in it', () => {
    const logged = loggableError(failing);
    expect(logged).toMatchObject({
      type: 'Error',
      code: '23502',
      message: 'null value in column "project_id" of relation "item" violates not-null constraint',
    });
    expect(logged.stack).toMatch(/^ +at .*loggable-error\.test\.ts:\d+/);
  });

  it('has nothing of the row, the statement or any other property', () => {
    const lines: string[] = [];
    const log = pino({ serializers: { err: loggableError } }, { write: (line: string) => void lines.push(line) });
    const outer = new TypeError('outside', { cause: failing });
    log.error({ err: failing }, 'failed');
    log.error({ err: outer }, 'failed');
    expect(lines.join('')).not.toContain('hello');
    expect(loggableError(outer).cause?.code).toBe('23502');
  });

  it.each([
    ['invalid input syntax for type uuid: "hello"', 'invalid input syntax for type uuid'],
    ['invalid input syntax for type json: "{"a": "hello"}"', 'invalid input syntax for type json'],
    [`Unexpected token 'h', "hello you" is not valid JSON`, `Unexpected token 'h', "…" is not valid JSON`],
    ['value "12345678901" is out of range for type integer', 'value "…" is out of range for type integer'],
    ['relation "item" does not exist', 'relation "item" does not exist'],
    ["Cannot read properties of undefined (reading 'id')", "Cannot read properties of undefined (reading 'id')"],
    ['', ''],
  ])('%s is logged as %s', (message, said) => {
    expect(loggableError(new Error(message)).message).toBe(said);
  });

  it.each([undefined, null, 'hello', 7, { message: 'hello' }])(
    '%o is not an error and is logged with its type only',
    (thrown) => {
      expect(loggableError(thrown)).toEqual({ type: typeof thrown, message: '', stack: '' });
    },
  );
});
