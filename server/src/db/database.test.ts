import { DriverException } from '@mikro-orm/core';
import { describe, expect, it } from 'vitest';
import { systemClock, uuidV7 } from './clock.ts';
import { createDatabase, DatabaseGone } from './database.ts';
import type { Orm } from './orm.ts';

const orm = { em: { fork: () => ({}) } } as unknown as Orm;
const db = createDatabase(orm, { clock: systemClock, ids: uuidV7 });
const failing = (code: string) =>
  db.read(() => Promise.reject(new DriverException(Object.assign(new Error('It failed.'), { code }))));

describe('a failure of the database', () => {
  it.each([
    ['57P03', 'it is starting'],
    ['53300', 'it has too many clients'],
    ['53100', 'its disk is full'],
    ['ECONNREFUSED', 'nobody listens on the port'],
    ['ENOENT', 'nobody listens on the socket file'],
  ])('%s is one that a retry may cure: %s', (code) => expect(failing(code)).rejects.toThrow(DatabaseGone));

  it.each([['23505'], ['42P01']])('%s is not', (code) => expect(failing(code)).rejects.toThrow('It failed.'));
});
