// The log of slow statements: which one and how long it took, and never a value of it.
import type { Pool, PoolClient } from 'pg';

/** A statement that took long: `ms` with the waiting for locks, `text` without values. */
export interface SlowStatement {
  ms: number;
  text: string;
}

type Query = (...asked: unknown[]) => unknown;

/** Tells of every statement on this pool that takes `afterMs` or longer. */
export function watchStatements(pool: Pool, afterMs: number, tell: (slow: SlowStatement) => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as unknown as Query;
    const timed: Query = (...asked) => {
      const startedAt = performance.now();
      const answer = query(...asked);
      const over = () => {
        const ms = Math.round(performance.now() - startedAt);
        if (ms >= afterMs) tell({ ms, text: withoutValues(textOf(asked[0])) });
      };
      if (answer instanceof Promise) answer.then(over, over);
      return answer;
    };
    client.query = timed as PoolClient['query'];
  });
}

const textOf = (asked: unknown): string =>
  typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? '');

/** Enough to find it by. */
const SHOWN = 500;
/** A literal with escapes, and one without: in that a backslash is a backslash. */
const LITERALS = /\bE'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gi;

/** One line of the text, with `?` for every literal: the ORM writes some values into it. A literal that does not end hides the rest. */
export function withoutValues(text: string): string {
  const [shown = ''] = text.replace(LITERALS, '?').split("'");
  return shown.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
}
