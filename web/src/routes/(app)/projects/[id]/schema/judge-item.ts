// Judges what was suggested and decided for an item by a schema that may become the one of its project. Pure.
import type { Json } from '@countersign/shared/json/json';
import type { ItemAnswers } from '@countersign/shared/schemas/projects';
import { judgeAnswer } from '#lib/form/answer-check.ts';
import type { AnswerFault } from '#lib/form/answer-faults.ts';
import { isObject, printJson } from '#lib/values/json/lossless.ts';

export type AnswerPart = 'suggestion' | 'output';

/** What one item has, and where it does not satisfy the schema. */
export interface Judgement {
  /** The parts that the item has. */
  readonly parts: readonly AnswerPart[];
  /** Those with faults, each value once: an output that was approved unchanged is the suggestion. */
  readonly failing: readonly FailingParts[];
}

export interface FailingParts {
  readonly parts: readonly AnswerPart[];
  readonly faults: readonly AnswerFault[];
  /** What was judged: the pointers of the faults lead into it. */
  readonly value: Json;
}

/** A schema describes the arguments of a tool call (TC1): pointers of its faults start there. */
export function judgeItem(schema: Json, { kind, suggestion, output }: Omit<ItemAnswers, 'id'>): Judgement {
  const values: [AnswerPart, Json][] = [
    ...(suggestion === null ? [] : [['suggestion', suggestion] as [AnswerPart, Json]]),
    ...(output === undefined ? [] : [['output', output] as [AnswerPart, Json]]),
  ];
  const [first, second] = values;
  const same = first && second && printJson(first[1], 0) === printJson(second[1], 0);
  const parts = values.map(([part]) => part);
  const groups = same ? [{ parts, value: first[1] }] : values.map(([part, value]) => ({ parts: [part], value }));
  const failing = groups
    .map(({ parts: those, value }) => ({ parts: those, value: judgedPart(kind, value) }))
    .map((group) => ({ ...group, faults: judgeAnswer(schema, group.value) }))
    .filter(({ faults }) => faults.length > 0);
  return { parts, failing };
}

const judgedPart = (kind: ItemAnswers['kind'], value: Json): Json =>
  kind === 'tool_call' && isObject(value) ? (value.arguments ?? null) : value;
