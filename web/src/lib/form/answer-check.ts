// Judges an answer by its schema as the server does (TS3).
import type { Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate, type CompiledSchema } from '@countersign/shared/json-schema/evaluate';
import { printJson } from '../values/json/lossless.ts';
import type { AnswerFault } from './answer-faults.ts';

/** The schema that was compiled last: an editor judges one at every key. */
let last: { readonly of: Json; readonly schema: CompiledSchema | null } | null = null;

/** The faults of an answer; none where this version cannot read the schema: the server then refuses the answer (TS1). */
export function judgeAnswer(schema: Json, value: Json): AnswerFault[] {
  if (last?.of !== schema) {
    const compiled = compileSchema(printJson(schema, 0));
    last = { of: schema, schema: compiled.ok ? compiled.schema : null };
  }
  return last.schema === null ? [] : validate(last.schema, value);
}
