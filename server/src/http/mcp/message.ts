// Reads one MCP message: its envelope for the SDK, and the arguments of a tool as the text that was sent (I7).
import { isUtf8 } from 'node:buffer';
import { findJsonFault } from '@countersign/shared/json/json-fault';
import { memberRange, type MemberRange } from '@countersign/shared/json/member-range';
import { LIMITS } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import { rpcMessage, type RpcMessage } from '@countersign/shared/schemas/public';
import { decode, notJsonAt, parseText } from '../request/i-json.ts';
import { parseFields } from '../request/parse-fields.ts';

/** What a message has besides the arguments of its tool, in bytes. */
const ENVELOPE_BYTES = 16 * 1024;
export const MESSAGE_BYTES = LIMITS.itemBytes + ENVELOPE_BYTES;

/** JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;

/** A message that was refused before any tool was called. */
export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, detail: string) {
    super(detail);
    this.name = 'RpcFault';
    this.code = code;
  }
}

export interface Message {
  /** The message; the arguments of a tool are an empty object. */
  envelope: RpcMessage;
  /** The tool that it calls; null for any other message. */
  tool: string | null;
  /** The arguments, not parsed yet. */
  argumentsText: string;
}

/** Errors: `RpcFault`, and `payload_too_large` for an envelope that is. */
export function readMessage(bytes: Buffer): Message {
  return asRpcFault(bytes, () => {
    const text = decode(bytes);
    const place = argumentsIn(text);
    const envelopeText = place === null ? text : `${text.slice(0, place.from)}{}${text.slice(place.to)}`;
    if (Buffer.byteLength(envelopeText) > ENVELOPE_BYTES) {
      throw new Refusal('payload_too_large', `Send at most ${ENVELOPE_BYTES / 1024} KiB besides the arguments.`);
    }
    const envelope = parseFields(rpcMessage, parseText(envelopeText).value, '#');
    const name = envelope.method === 'tools/call' ? envelope.params?.name : undefined;
    const argumentsText = place === null ? '{}' : text.slice(place.from, place.to);
    return { envelope, tool: typeof name === 'string' ? name : null, argumentsText };
  });
}

/** A refusal of the message itself is an error of the protocol. `bytes` is the body that `read` reads. */
export function asRpcFault<T>(bytes: Buffer, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'payload_too_large') throw error;
    if (error.code === 'invalid_json') throw new RpcFault(PARSE_ERROR, whereIn(bytes, error));
    throw new RpcFault(INVALID_REQUEST, `Send one JSON-RPC 2.0 message. ${error.detail}`);
  }
}

/** IJ1: a part of the body knows only its own lines. Bytes that are not UTF-8 have been located already. */
function whereIn(bytes: Buffer, part: Refusal): string {
  return isUtf8(bytes) ? notJsonAt(findJsonFault(decode(bytes))).detail : part.detail;
}

function argumentsIn(text: string): MemberRange | null {
  const params = memberRange(text, 'params');
  return params && memberRange(text, 'arguments', params.from);
}
