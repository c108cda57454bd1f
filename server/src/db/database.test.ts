/** Which database failures are retryable. */
import { DriverException } from '@mikro-orm/core';
import { describe, expect, it } from 'vitest';
import { systemClock, uuidV7 } from './clock.ts';
import { createDatabase, DatabaseGone } from './database.ts';
import type { Orm } from './orm.ts';

const orm = { em: { fork: () => ({}) } } as unknown as Orm;
const db = createDatabase(orm, { clock: systemClock, ids: uuidV7 });
const failing = (code: string) =>
  db.read(() => Promise.reject(new DriverException(Object.assign(new Error('It failed.'), { code }))));

describe('a database failure', () => {
  it.each([
    ['57P03', 'the server is starting'],
    ['53300', 'the server has too many clients'],
    ['53100', 'its disk is full'],
    ['ECONNREFUSED', 'no server listens on the port'],
    ['ENOENT', 'no server listens on the socket file'],
  ])('%s can be retried: %s', (code) => expect(failing(code)).rejects.toThrow(DatabaseGone));

  it.each([['23505'], ['42P01']])('%s cannot be retried', (code) =>
    expect(failing(code)).rejects.toThrow('It failed.'),
  );
});
