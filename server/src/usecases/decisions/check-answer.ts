// Checks what a person decides: the input by the rules of its action, an output by what the item asks (LC7, TS2, TC2).
import type { Json } from '@countersign/shared/json/json';
import type { Fault } from '@countersign/shared/json-schema/evaluate';
import type { Item } from '../../db/entities/item.ts';
import type { Em } from '../../db/orm.ts';
import { adviceFor, type Answer, inputRefusal } from '../../domain/items/decision-input.ts';
import type { Move } from '../../domain/items/item.ts';
import { editFaults } from '../../domain/items/tool-call.ts';
import { answerRefusal, faultsOf, loadAnswerSchema, suggestionRefusal } from '../items/answer-schemas.ts';

/** Errors: `validation_failed`, `unchanged_edit`, `answer_invalid`. */
export async function checkAnswer(em: Em, item: Item, answered: { input: Answer; move: Move }): Promise<void> {
  const refusal = inputRefusal(item, answered.input, answered.move);
  if (refusal !== null) throw refusal;
  await checkOutput(em, item, answered);
}

/** TS2, TC2: refuses an output that does not satisfy the item, and the approval of a suggestion that does not. */
async function checkOutput(em: Em, item: Item, { input, move }: { input: Answer; move: Move }): Promise<void> {
  if (move.decides !== 'approved') return;
  const { projectId, answerSchema: digest, suggestionFaults, kind } = item;
  const { output } = input;
  if (output === null) {
    if (suggestionFaults) throw suggestionRefusal(JSON.parse(suggestionFaults) as Fault[], adviceFor(item));
    return;
  }
  if (kind === 'tool_call') {
    const faults = editFaults(output.value, JSON.parse(item.suggestion) as Json);
    if (faults.length > 0) throw answerRefusal(faults);
  }
  if (!digest) return;
  const faults = faultsOf(await loadAnswerSchema(em, { projectId, digest }), { kind, text: output.raw });
  if (faults.length > 0) throw answerRefusal(faults);
}
