// Logs slow statements with their duration, and never their values.
import type { Pool, PoolClient } from 'pg';

/** A slow statement: `ms` includes waiting for locks, `text` has no values. */
export interface SlowStatement {
  ms: number;
  text: string;
}

type Query = (...asked: unknown[]) => unknown;

/** Reports every statement on this pool that takes `afterMs` or longer. */
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

/** Enough to identify the statement. */
const SHOWN = 500;
/** A literal with escapes, and one without, in which a backslash is an ordinary character. */
const LITERALS = /\bE'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gi;

/**
 * The text on one line, with `?` for every literal: the ORM inlines some values. An unterminated literal hides the
 * rest.
 */
export function withoutValues(text: string): string {
  const [shown = ''] = text.replace(LITERALS, '?').split("'");
  return shown.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
}
