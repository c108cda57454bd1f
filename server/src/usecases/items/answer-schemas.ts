// Compiles answer schemas, judges answers by them (TS), and refuses what does not satisfy them.
import { Refusal, type ErrorCode, type FieldError } from '@countersign/shared/errors';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate, type CompiledSchema, type Fault } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { sha256Hex } from '../../crypto/tokens.ts';
import type { Em } from '../../db/orm.ts';
import { readSchemaText } from '../../db/submit-batch.ts';

/** A valid schema, as it was sent. */
export interface AnswerSchema {
  /** SHA-256 of the text, in hex. */
  digest: string;
  text: string;
  compiled: CompiledSchema;
}

/** Whether a suggestion satisfies a schema. */
export interface Verdict {
  digest: string;
  /** JSON text; null where it does. */
  faults: string | null;
}

/** Compiled schemas by digest, the last used ones last. What is compiled takes up to thirty times its text. */
const compiled = new Map<string, AnswerSchema>();
let characters = 0;
const MAX_CHARACTERS = 1024 * 1024;

function remember(schema: AnswerSchema): AnswerSchema {
  if (!compiled.delete(schema.digest)) characters += schema.text.length;
  compiled.set(schema.digest, schema);
  for (const [digest, { text }] of compiled) {
    if (characters <= MAX_CHARACTERS) break;
    compiled.delete(digest);
    characters -= text.length;
  }
  return schema;
}

/** A schema that this process compiled lately; null for any other. */
export const compiledSchema = (digest: string): AnswerSchema | null => compiled.get(digest) ?? null;

/** A schema in a body; `member` is its pointer there. Errors: `schema_invalid` with a pointer for each fault. */
export function readAnswerSchema(text: string, member: string): AnswerSchema {
  const digest = sha256Hex(text);
  const known = compiled.get(digest);
  if (known !== undefined) return remember(known);
  const result = compileSchema(text);
  if (result.ok) return remember({ digest, text, compiled: result.schema });
  throw refusalOf('schema_invalid', member, result.faults);
}

/** A stored schema of a project. */
export async function loadAnswerSchema(em: Em, stored: { projectId: string; digest: string }): Promise<AnswerSchema> {
  const known = compiled.get(stored.digest);
  return known === undefined ? readAnswerSchema(await readSchemaText(em, stored), '#') : remember(known);
}

/** The faults of an answer, which is JSON text. */
export const faultsOf = (schema: AnswerSchema, answer: string): Fault[] => validate(schema.compiled, exactJson(answer));

export function judge(schema: AnswerSchema, suggestion: string): Verdict {
  const faults = faultsOf(schema, suggestion);
  return { digest: schema.digest, faults: faults.length === 0 ? null : JSON.stringify(faults) };
}

/** TS2: refuses an output that does not satisfy its schema. */
export const answerRefusal = (faults: readonly Fault[]): Refusal => refusalOf('answer_invalid', '#/output', faults);

interface FaultAt {
  pointer: string;
  keyword?: string;
  message: string;
}

function refusalOf(code: ErrorCode, member: string, faults: readonly FaultAt[]): Refusal {
  const errors = faults.map(({ pointer, keyword, message }): FieldError => {
    const parts = pointer.split('/').map(encodeURIComponent);
    return { pointer: member + parts.join('/'), code: keyword ?? code, detail: message };
  });
  const [first] = errors;
  return new Refusal(code, first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}
