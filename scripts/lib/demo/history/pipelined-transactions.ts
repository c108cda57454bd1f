// Sends the statements of a transaction in fewer round trips, each of which wakes two processes.
import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

/** What may be sent together. */
export interface PipelineRules {
  /** The statements that begin a transaction. */
  readonly begin: () => string;
  /** Whether the statement that is sent now is a transaction of its own. */
  readonly isAlone: () => boolean;
  /** Whether nobody reads its result: it is sent with the next statement, which fails if it does. */
  readonly isUnread: (text: unknown) => boolean;
  /** Whether a transaction always ends with it: the commit is sent with it. */
  readonly isLast: (text: unknown) => boolean;
}

/**
 * Combines the statements of each transaction on a connection that sends without waiting (`pipeline`). PostgreSQL executes them in
 * the same order as without it. The text of a statement tells its place, so that the code of the transaction stays as it is.
 */
export function pipelineTransactions(client: PoolClient, rules: PipelineRules): void {
  const connection = new PipelinedConnection(client, rules);
  const query: Query = (text, values) => connection.query({ text, values });
  client.query = query as unknown as PoolClient['query'];
}

type Query = (text: unknown, values?: unknown) => Promise<unknown>;

interface Statement {
  readonly text: unknown;
  readonly values?: unknown;
}

/** The driver's socket, which its types do not have. */
interface WithStream {
  connection: { stream: Writable };
}

const COMMIT: Statement = { text: 'commit' };
const NOTHING = { rows: [] };

class PipelinedConnection {
  readonly #query: Query;
  readonly #stream: Writable;
  readonly #rules: PipelineRules;
  /** Of the present transaction, what is sent with its next statement. */
  #held: Statement[] = [];
  #state: 'none' | 'held' | 'sent' | 'committed' = 'none';

  constructor(client: PoolClient, rules: PipelineRules) {
    this.#query = client.query.bind(client);
    this.#stream = (client as unknown as WithStream).connection.stream;
    this.#rules = rules;
  }

  async query(statement: Statement): Promise<unknown> {
    const { text } = statement;
    if (this.#rules.isAlone()) return this.#send([this.#begin(), statement, COMMIT], 1);
    if (text === 'begin') {
      this.#state = 'held';
      return this.#hold(this.#begin());
    }
    if (text === 'commit' || text === 'rollback') return this.#end(statement);
    if (this.#state === 'committed') throw new Error('A statement follows the last one of its transaction.');
    if (this.#state === 'none') return this.#query(statement.text, statement.values);
    if (this.#rules.isUnread(text)) return this.#hold(statement);
    return this.#sendHeldWith(statement);
  }

  #begin(): Statement {
    return { text: this.#rules.begin() };
  }

  #hold(statement: Statement): typeof NOTHING {
    this.#held.push(statement);
    return NOTHING;
  }

  #sendHeldWith(statement: Statement): Promise<unknown> {
    const first = this.#held.splice(0);
    const isLast = this.#rules.isLast(statement.text);
    this.#state = isLast ? 'committed' : 'sent';
    return this.#send([...first, statement, ...(isLast ? [COMMIT] : [])], first.length);
  }

  /** A failed transaction ends without effect by `commit` too, so one that was committed early needs no rollback. */
  async #end(statement: Statement): Promise<unknown> {
    const [state, first] = [this.#state, this.#held.splice(0)];
    this.#state = 'none';
    if (state === 'committed') return NOTHING;
    if (statement.text === 'commit') return this.#send([...first, statement], first.length);
    return state === 'held' ? NOTHING : this.#query('rollback');
  }

  /** Sends them at once; resolves with the answer to the one at `index`. */
  async #send(statements: readonly Statement[], index: number): Promise<unknown> {
    this.#stream.cork();
    const answers = statements.map(({ text, values }) => this.#query(text, values));
    this.#stream.uncork();
    return (await Promise.all(answers))[index];
  }
}
