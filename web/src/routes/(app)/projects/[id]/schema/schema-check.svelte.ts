// The check of a schema against the newest items: reads their answers page by page, judges each, and counts.
import { listAnswers } from '@countersign/shared/routes/projects';
import type { Json } from '@countersign/shared/json/json';
import type { ItemAnswers } from '@countersign/shared/schemas/projects';
import { call } from '#lib/api/client.ts';
import { judgeItem, type AnswerPart, type Judgement } from './judge-item.ts';

/** How many of the newest items are checked. */
export const CHECKED = 20;

interface Tally {
  /** How many items have such an answer, and how many of those satisfy the schema. */
  readonly judged: number;
  readonly fit: number;
}

export interface CheckResult {
  /** The text of the schema that was checked. */
  readonly text: string;
  readonly items: number;
  readonly suggestion: Tally;
  readonly output: Tally;
  readonly failing: readonly { readonly item: ItemAnswers; readonly judgement: Judgement }[];
}

export class SchemaCheck {
  /** How many items are judged so far; null while no check runs. */
  done: number | null = $state(null);
  error: unknown = $state.raw(null);
  result: CheckResult | null = $state.raw(null);

  readonly #projectId: string;
  #running: AbortController | null = null;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** Checks a schema; one that is still running ends. Never rejects: the cause is in `error`. */
  async run(text: string, schema: Json): Promise<void> {
    this.stop();
    const { signal } = (this.#running = new AbortController());
    this.error = null;
    this.done = 0;
    try {
      const judged = await this.#judge(schema, signal);
      this.result = { text, ...tallied(judged) };
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    }
    this.done = null;
  }

  stop(): void {
    this.#running?.abort();
    this.done = null;
  }

  /** Large answers come in several pages. Between two items the browser may draw. */
  async #judge(schema: Json, signal: AbortSignal): Promise<CheckResult['failing'][number][]> {
    const judged: CheckResult['failing'][number][] = [];
    for (let after: string | null | undefined; judged.length < CHECKED && after !== null;) {
      const query = { limit: CHECKED - judged.length, ...(after !== undefined && { after }) };
      const page = await call(listAnswers, { params: { id: this.#projectId }, query, signal });
      for (const item of page.data) {
        judged.push({ item, judgement: judgeItem(schema, item) });
        this.done = judged.length;
        await new Promise((resolve) => setTimeout(resolve));
        signal.throwIfAborted();
      }
      after = page.next_cursor;
    }
    return judged;
  }
}

function tallied(judged: CheckResult['failing']): Omit<CheckResult, 'text'> {
  const tally = (part: AnswerPart): Tally => {
    const having = judged.filter(({ judgement }) => judgement.parts.includes(part));
    const fails = ({ judgement }: (typeof having)[number]) =>
      judgement.failing.some(({ parts }) => parts.includes(part));
    return { judged: having.length, fit: having.filter((one) => !fails(one)).length };
  };
  return {
    items: judged.length,
    suggestion: tally('suggestion'),
    output: tally('output'),
    failing: judged.filter(({ judgement }) => judgement.failing.length > 0),
  };
}
