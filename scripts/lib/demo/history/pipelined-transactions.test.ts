// Tests which statements of a transaction are sent together, by a client that records its writes.
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { pipelineTransactions } from './pipelined-transactions.ts';

/** What was sent, one entry per write. */
let writes: string[][];
/** The text of the statement that fails. */
let failing: string | null;
let isAlone: boolean;
let client: PoolClient;

beforeEach(() => {
  writes = [];
  failing = null;
  isAlone = false;
  let corked: string[] | null = null;
  const stream = {
    cork: () => (corked = []),
    uncork: () => {
      if (corked !== null) writes.push(corked);
      corked = null;
    },
  };
  const query = (text: string, values?: unknown[]) => {
    const sent = values === undefined ? text : `${text} ${values.join()}`;
    if (corked === null) writes.push([sent]);
    else corked.push(sent);
    return text === failing ? Promise.reject(new Error(`${text} fails`)) : Promise.resolve({ rows: [text] });
  };
  client = { query, connection: { stream } } as unknown as PoolClient;
  pipelineTransactions(client, {
    begin: () => 'begin now',
    isAlone: () => isAlone,
    isUnread: (text) => text === 'unread',
    isLast: (text) => text === 'last',
  });
});

/** Sends the statements one after the other, and returns the rows of each. */
async function run(...texts: string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const text of texts) answers.push((await client.query<never>(text)).rows);
  return answers;
}

describe('a transaction', () => {
  it('begins with its first statement and ends with its last one', async () => {
    expect(await run('begin', 'first', 'second', 'last', 'commit')).toEqual([[], ['first'], ['second'], ['last'], []]);
    expect(writes).toEqual([['begin now', 'first'], ['second'], ['last', 'commit']]);
  });

  it('commits in a write of its own where no statement is known to be the last', async () => {
    await run('begin', 'first', 'commit');
    expect(writes).toEqual([['begin now', 'first'], ['commit']]);
  });

  it('sends what nobody reads with the next statement, in order', async () => {
    expect(await run('begin', 'first', 'unread', 'unread', 'last', 'commit')).toContainEqual(['last']);
    await run('begin', 'unread', 'commit');
    expect(writes).toEqual([
      ['begin now', 'first'],
      ['unread', 'unread', 'last', 'commit'],
      ['begin now', 'unread', 'commit'],
    ]);
  });

  it('passes the values on', async () => {
    await run('begin');
    await client.query('first', [1, 2]);
    expect(writes).toEqual([['begin now', 'first 1,2']]);
  });

  it('refuses a statement after its last one, which would be outside of it', async () => {
    await expect(run('begin', 'last', 'late')).rejects.toThrow('follows the last one');
    expect(writes).toEqual([['begin now', 'last', 'commit']]);
  });
});

describe('a transaction that fails', () => {
  it('sends nothing more where the commit was sent already', async () => {
    failing = 'last';
    await expect(run('begin', 'last')).rejects.toThrow('last fails');
    await run('rollback', 'begin', 'first');
    expect(writes).toEqual([
      ['begin now', 'last', 'commit'],
      ['begin now', 'first'],
    ]);
  });

  it('drops what was not sent', async () => {
    await run('begin', 'first', 'unread', 'rollback');
    await run('begin', 'unread', 'rollback');
    expect(writes).toEqual([['begin now', 'first'], ['rollback']]);
  });

  it('fails with the error of a statement that nobody reads', async () => {
    failing = 'unread';
    await expect(run('begin', 'unread', 'first')).rejects.toThrow('unread fails');
  });
});

describe('a statement', () => {
  it('that is alone is a transaction in one write', async () => {
    isAlone = true;
    expect(await run('first')).toEqual([['first']]);
    expect(writes).toEqual([['begin now', 'first', 'commit']]);
  });

  it('outside of a transaction is sent as it is, whether or not somebody reads it', async () => {
    await run('unread', 'first', 'begin', 'first', 'commit', 'unread');
    expect(writes).toEqual([['unread'], ['first'], ['begin now', 'first'], ['commit'], ['unread']]);
  });
});
