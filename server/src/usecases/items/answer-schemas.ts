// Compiles answer schemas, checks answers by them (TS), and refuses what does not satisfy them.
import { Refusal, type ErrorCode, type FieldError } from '@countersign/shared/errors';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate, type CompiledSchema, type Fault } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { shorten } from '@countersign/shared/json-schema/shorten';
import { MAX_POINTER } from '@countersign/shared/json/json-pointer';
import type { ItemKind } from '@countersign/shared/enums';
import { ARGUMENTS, schemaSubject } from '../../domain/items/tool-call.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import type { Em } from '../../db/orm.ts';
import { readSchemaText } from '../../db/submit-batch.ts';

/** A schema, as it was sent. */
export interface AnswerSchema {
  /** SHA-256 of the text, in hex. */
  digest: string;
  text: string;
  /** Null for a stored one that is not valid any more: nothing satisfies it, so a person decides. */
  compiled: CompiledSchema | null;
  /** Why it is not valid any more. */
  fault: string | null;
}

/** Whether a suggestion satisfies a schema. */
export interface SchemaCheck {
  digest: string;
  /** JSON text; null where it does. */
  faults: string | null;
}

/** Compiled schemas by digest, the last used ones last. What is compiled takes up to sixty times its text. */
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

/** A schema in a body; `member` is its pointer there. Errors: `schema_invalid` with a pointer for each fault. */
export function readAnswerSchema(text: string, member: string): AnswerSchema {
  const digest = sha256Hex(text);
  const known = compiledSchema(digest);
  if (known !== null && known.compiled !== null) return known;
  const result = compileSchema(text);
  if (result.ok) return remember({ digest, text, compiled: result.schema, fault: null });
  throw refusalOf('schema_invalid', member, result.faults);
}

/** A schema that this process compiled lately; null for any other. */
export function compiledSchema(digest: string): AnswerSchema | null {
  const known = compiled.get(digest);
  return known === undefined ? null : remember(known);
}

/**
 * A stored schema of a project, also one that was valid only for an earlier version of the validator. Throws when it is missing: a
 * schema that a locked row names is not deleted.
 */
export async function loadAnswerSchema(em: Em, stored: { projectId: string; digest: string }): Promise<AnswerSchema> {
  const known = compiledSchema(stored.digest);
  if (known !== null) return known;
  const text = await readSchemaText(em, stored);
  if (text === null) throw new Error(`Project ${stored.projectId} has no answer schema ${stored.digest}`);
  const result = compileSchema(text);
  if (result.ok) return remember({ digest: stored.digest, text, compiled: result.schema, fault: null });
  const [first] = result.faults;
  return remember({
    digest: stored.digest,
    text,
    compiled: null,
    fault: `${first?.pointer ?? ''} ${first?.message ?? ''}`.trim(),
  });
}

/** An answer, as JSON text, and whether it is a tool call. */
export interface Answer {
  kind: ItemKind;
  text: string;
}

/** The faults of an answer. Of a tool call the arguments are checked (TC1), which it must have; pointers start at the call. */
export function faultsOf({ compiled, fault }: AnswerSchema, { kind, text }: Answer): Fault[] {
  if (compiled === null) {
    const message = `cannot be checked, because its answer schema is not valid any more: ${shorten(fault ?? '')}`;
    return [{ pointer: '', schema_pointer: '', keyword: 'schema', message }];
  }
  const faults = validate(compiled, schemaSubject(kind, exactJson(text)));
  return kind === 'answer' ? faults : faults.map((fault) => ({ ...fault, pointer: `/${ARGUMENTS}${fault.pointer}` }));
}

/** What an item stores about its suggestion. */
export function judge(schema: AnswerSchema, suggestion: Answer): SchemaCheck {
  // Where there is no suggestion, a person's answer is judged (TS5).
  const faults = suggestion.text === 'null' ? [] : faultsOf(schema, suggestion);
  return { digest: schema.digest, faults: faults.length === 0 ? null : JSON.stringify(faults) };
}

/** TS2: refuses an output that does not satisfy its schema. */
export const answerRefusal = (faults: readonly FaultAt[]): Refusal => refusalOf('answer_invalid', '#/output', faults);

/** TS2: refuses to approve a suggestion that does not satisfy its schema. `advice`: what to do instead. */
export function suggestionRefusal(faults: readonly Fault[], advice: string): Refusal {
  const { detail, extras } = answerRefusal(faults);
  return new Refusal('answer_invalid', `The suggestion does not satisfy its schema. ${advice} ${detail}`, extras);
}

/** As a fragment of a URI. A long pointer is cut at the last level that has room: it names what contains the fault. */
export function uriPointer(pointer: string): { pointer: string; isCut: boolean } {
  let encoded = '';
  for (const part of pointer.split('/').slice(1)) {
    const next = `${encoded}/${encodeURIComponent(part)}`;
    if (next.length > MAX_POINTER) return { pointer: encoded, isCut: true };
    encoded = next;
  }
  return { pointer: encoded, isCut: false };
}

interface FaultAt {
  pointer: string;
  keyword?: string;
  message: string;
}

function refusalOf(code: ErrorCode, member: string, faults: readonly FaultAt[]): Refusal {
  const errors = faults.map(({ pointer, keyword, message }): FieldError => {
    const at = uriPointer(pointer);
    // Its place has no room, so it is said of what contains it.
    const detail = at.isCut ? `contains a value that ${message}` : message;
    return { pointer: member + at.pointer, code: keyword ?? code, detail };
  });
  const [first] = errors;
  return new Refusal(code, first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}
