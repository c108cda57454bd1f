// The schema of the setting that says who gets which items first (SK).
import { z } from 'zod';
import type { SkillsSetting } from '../../settings.ts';
import { isMetadataPointer, skillOf } from '../../skills.ts';
import { uuid } from './ids.ts';

const NO_POINTER = 'Enter a JSON pointer into the metadata, such as /team.';
const TWICE = 'This flag or value already has an entry. Keep one of them: an item follows the first one that matches.';
const PERSON_TWICE = 'Name each person once.';

/** In each object the members are in the order in which the database returns them. */
export function skillsSchemaOf({ maxEntries, maxFlag, maxLength, maxPeople, minutes }: SkillsSetting): z.ZodType {
  const text = (most: number) => z.string().trim().min(1).max(most);
  const match = z.union([
    z.strictObject({ flag: text(maxFlag) }),
    z.strictObject({
      value: text(maxLength),
      metadata: z.string().max(maxLength).refine(isMetadataPointer, NO_POINTER),
    }),
  ]);
  const people = z
    .array(uuid)
    .min(1)
    .max(maxPeople)
    .refine((ids) => new Set(ids).size === ids.length, PERSON_TWICE);
  const entry = z.strictObject({
    match,
    people,
    after_minutes: z.number().int().min(minutes.least).max(minutes.most),
  });
  return z
    .array(entry)
    .max(maxEntries)
    .refine((entries) => new Set(entries.map((one) => skillOf(one.match))).size === entries.length, TWICE);
}
