// Where the faults of a suggestion are shown, and their pointers as the editor knows them.
import type { AnswerFault } from '#lib/form/answer-faults.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';

/** The id of their box: the key of a blocked approval moves the focus there. */
export const SUGGESTION_FAULTS = 'suggestion-faults';

const ARGUMENTS = '/arguments';

/** A pointer into a suggestion or an output as one into what is edited: of a tool call its arguments (TC1). */
export const pointerInEdit = (kind: ItemDetail['kind'] | undefined, pointer: string): string =>
  kind === 'tool_call' && pointer.startsWith(ARGUMENTS) ? pointer.slice(ARGUMENTS.length) : pointer;

/** The faults of the suggestion; none where it has none, or no schema. */
export const suggestionFaults = ({ kind, suggestion_faults: faults }: ItemDetail): AnswerFault[] =>
  (faults ?? []).map((fault) => ({ ...fault, pointer: pointerInEdit(kind, fault.pointer) }));
