// Reads the text of a schema as it is typed: the schema, or what is wrong with it and at which line. Pure.
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Json } from '@countersign/shared/json/json';
import { JsonFault } from '#lib/values/json/json-fault.ts';
import { spanOf } from '#lib/values/json/keep-spelling.ts';
import { parseJson } from '#lib/values/json/lossless.ts';
import { sentSchema } from '../settings/settings-draft.ts';

/** A fault of the text. */
export interface SchemaFault {
  /** Counted from 1. */
  readonly line: number;
  /** A JSON pointer into the schema; null where the text is no JSON. */
  readonly pointer: string | null;
  /** The pointer for people: `properties › amount › type`. Empty for the whole schema. */
  readonly place: string;
  /** A sentence. */
  readonly message: string;
}

export type SchemaRead =
  | { readonly ok: true; readonly schema: Json }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] };

/** The text that was read last: the editor, the list of faults and the save bar ask for the same one. */
let last: { readonly text: string; readonly read: SchemaRead } | null = null;

/** Reads a text as the service will (TS3). `text` is not blank. */
export function readSchema(text: string): SchemaRead {
  if (last?.text !== text) last = { text, read: read(text) };
  return last.read;
}

function read(text: string): SchemaRead {
  let schema: Json;
  try {
    schema = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { ok: false, faults: [{ line: error.line, pointer: null, place: '', message: error.message }] };
  }
  const compiled = compileSchema(sentSchema(text).text);
  if (compiled.ok) return { ok: true, schema };
  const faults = compiled.faults.map(({ pointer, message }) => ({
    line: text.slice(0, spanOf(text, pointer).from).split('\n').length,
    pointer,
    place: stepsOf(pointer).join(' › '),
    message,
  }));
  return { ok: false, faults: faults.sort((one, other) => one.line - other.line) };
}
