// Formats the lines of an export (rule LX): one learning is one line of JSON, in one of four formats.
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import type { ExportFormat, ItemKind } from '@countersign/shared/enums';
import { jsonText, type Json, rawJson } from '@countersign/shared/json/json';
import { oneLine } from '@countersign/shared/json/json-line';
import type { OverrideAction } from '@countersign/shared/review-actions';

/** A learning with its item. `input`, `suggestion` and `output` are JSON text as submitted; `output` is null for a rejection or a response. */
export interface Exported {
  id: string;
  itemId: string;
  action: OverrideAction;
  title: string | null;
  kind: ItemKind;
  /** False: there was nothing to approve, and `suggestion` is null (TS5). */
  hasSuggestion: boolean;
  /** The text of the schema of a tool call; null where it has none, and for any other item. */
  argumentsSchema: string | null;
  input: string;
  suggestion: string;
  output: string | null;
  /** What the edit changed, as operations of a JSON Patch (RFC 6902); null without an output or a suggestion. */
  diff: readonly object[] | null;
  /** Empty without one. */
  reason: string;
  note: string | null;
  /** The answer in words; null for any other action. */
  response: string | null;
  confidence: number;
  riskFlags: readonly string[];
  model: string | null;
  source: string | null;
  reviewer: { id: string; address: string };
  settingsVersion: number;
  /** The settings version of the guidelines at that time; null where it was not recorded yet. */
  guidelinesVersion: number | null;
  decidedAt: Date;
}

/** LX1: a rejection or a response, without a correction, is no training example, so it gives no line in these formats. */
export const needsCorrection = (format: ExportFormat): boolean => format === 'chat' || format === 'preference';

/** LX1: whether every learning that is read gives a line. */
export const hasLineForEach = ({ format, split }: ExportFilter): boolean =>
  format !== 'preference' && split === undefined;

/** LX1: one line without its line end, or null when the learning gives none. */
export function lineOf(format: ExportFormat, learning: Exported): string | null {
  const value = SHAPES[format](learning);
  return value === null ? null : oneLine(jsonText(value));
}

/** `chat` and `preference` are OpenAI's published formats for supervised and preference fine-tuning. */
const SHAPES: Record<ExportFormat, (learning: Exported) => object | null> = {
  raw: (learning) => ({
    id: learning.id,
    item_id: learning.itemId,
    action: learning.action,
    ...labelsOf(learning),
    input: rawJson(learning.input),
    suggestion: rawJson(learning.suggestion),
    output: learning.output === null ? null : rawJson(learning.output),
    diff: learning.diff,
    reason: learning.reason === '' ? null : learning.reason,
    note: learning.note,
    ...(learning.response !== null && { response: learning.response }),
    confidence: learning.confidence,
    risk_flags: learning.riskFlags,
    model: learning.model,
    source: learning.source,
    reviewer: learning.reviewer,
    settings_version: learning.settingsVersion,
    guidelines_version: learning.guidelinesVersion,
    decided_at: learning.decidedAt,
  }),
  chat: (learning) => {
    const { input, output } = learning;
    if (output === null) return null;
    const messages = [message('user', input), answer(learning, output)];
    return learning.kind === 'tool_call' ? { messages, tools: toolsOf(learning) } : { messages };
  },
  preference: (learning) => {
    const { input, suggestion, output, hasSuggestion } = learning;
    // Without a suggestion there is nothing that the answer is preferred to.
    if (output === null || !hasSuggestion) return null;
    const [preferred, other] = [answer(learning, output), answer(learning, suggestion)];
    // A text and the value that it spells are the same message, so such a pair teaches nothing.
    if (JSON.stringify(preferred) === JSON.stringify(other)) return null;
    return {
      input: { messages: [message('user', input)], tools: toolsOf(learning), parallel_tool_calls: true },
      preferred_output: [preferred],
      non_preferred_output: [other],
    };
  },
  eval: ({ id, action, suggestion, output, reason, riskFlags, input, hasSuggestion, response, ...learning }) => ({
    id,
    action,
    ...labelsOf(learning),
    input: rawJson(input),
    // It is unknown for a rejection: null would be an answer.
    ...(output !== null && { expected: rawJson(output) }),
    ...(hasSuggestion && { rejected: rawJson(suggestion) }),
    ...(response !== null && { response }),
    tags: [...(reason === '' ? [] : [reason]), ...riskFlags],
  }),
};

/** A string is its own message; any other value is given as its JSON text. */
function message(role: 'user' | 'assistant', json: string) {
  const value: unknown = JSON.parse(json);
  return { role, content: typeof value === 'string' ? value : oneLine(json) };
}

/** The members that an item has where its submission used them. */
const labelsOf = ({ title, kind }: Pick<Exported, 'title' | 'kind'>) => ({
  ...(title !== null && { title }),
  ...(kind !== 'answer' && { kind }),
});

interface ToolCall {
  name: string;
  arguments: Json;
}

/** What the assistant should have said, or said: a message, or a call of a tool as OpenAI's chat format has it. */
function answer({ id, kind }: Exported, json: string) {
  if (kind !== 'tool_call') return message('assistant', json);
  const { name, arguments: given } = exactJson(json) as unknown as ToolCall;
  // OpenAI accepts IDs of at most 40 characters.
  const call = { id: `call_${id.replaceAll('-', '')}`, type: 'function' };
  return { role: 'assistant' as const, tool_calls: [{ ...call, function: { name, arguments: jsonText(given) } }] };
}

/** The tool that was called; its schema describes the arguments. */
function toolsOf({ kind, suggestion, argumentsSchema }: Exported): object[] {
  if (kind !== 'tool_call') return [];
  const { name } = exactJson(suggestion) as unknown as ToolCall;
  const isObject = argumentsSchema !== null && /^\s*\{/.test(argumentsSchema);
  return [{ type: 'function', function: { name, ...(isObject && { parameters: rawJson(argumentsSchema) }) } }];
}

/** LX3: whether an input at this point of a split, 0 to 1, is on the requested side. */
export const isOfSplit = ({ split, test_share: share }: ExportFilter, point: number): boolean =>
  split === undefined || point < share === (split === 'test');

/**
 * LX3: the text that is hashed to find that point: the same for equal values, regardless of key order and white space. A
 * text that spells another value is treated as that value, because both are the same message.
 */
export function splitText(input: string): string {
  const value: unknown = JSON.parse(input);
  return canonical(typeof value === 'string' ? readAs(value) : value);
}

/**
 * Levels of a value that a text spells. Those of an item are limited, but a text may spell any number, and what follows is
 * recursive.
 */
const MOST_LEVELS = 1_000;

/** The value that a text spells; the text itself when it spells none, a string, or one too deep to read. */
function readAs(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || isDeeper(value, MOST_LEVELS) ? text : value;
  } catch {
    return text;
  }
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}

function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
