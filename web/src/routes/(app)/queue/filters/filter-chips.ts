// The active fields of a filter as text.
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { chipMessages as messages } from './chip-messages.ts';
import type { Field } from './filtering.ts';

const FIELDS = ['text', 'flag', 'model', 'source', 'min_confidence', 'max_confidence'] as const;

interface Chip {
  readonly field: Field;
  readonly words: string;
}

/** The active fields as text. */
export function chipsOf(filter: QueueFilter): Chip[] {
  return FIELDS.flatMap((field) => {
    const value = filter[field];
    // The table pairs each field with its own text; the compiler cannot follow the pairing through an index.
    const words = messages.chip[field] as (value: string | number) => string;
    return value === undefined ? [] : [{ field, words: words(value) }];
  });
}
