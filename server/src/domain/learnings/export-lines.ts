// Formats the lines of an export (rule LX): one learning is one line of JSON, in one of four formats.
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import type { ExportFormat } from '@countersign/shared/enums';
import { jsonText } from '@countersign/shared/json/json';
import { oneLine } from '@countersign/shared/json/json-line';
import { rawJson } from '../items/decision.ts';
import type { OverrideAction } from '@countersign/shared/review-actions';

/** A learning with its item. `input`, `suggestion` and `output` are JSON text as submitted; `output` is null for a rejection. */
export interface Exported {
  id: string;
  itemId: string;
  action: OverrideAction;
  input: string;
  suggestion: string;
  output: string | null;
  /** What the edit changed, as operations of a JSON Patch (RFC 6902); null for a rejection. */
  diff: readonly object[] | null;
  reason: string;
  note: string | null;
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

/** LX1: a rejection without a correction is no training example, so it gives no line in these formats. */
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
    input: rawJson(learning.input),
    suggestion: rawJson(learning.suggestion),
    output: learning.output === null ? null : rawJson(learning.output),
    diff: learning.diff,
    reason: learning.reason,
    note: learning.note,
    confidence: learning.confidence,
    risk_flags: learning.riskFlags,
    model: learning.model,
    source: learning.source,
    reviewer: learning.reviewer,
    settings_version: learning.settingsVersion,
    guidelines_version: learning.guidelinesVersion,
    decided_at: learning.decidedAt,
  }),
  chat: ({ input, output }) =>
    output === null ? null : { messages: [message('user', input), message('assistant', output)] },
  preference: ({ input, suggestion, output }) => {
    if (output === null) return null;
    const [preferred, other] = [message('assistant', output), message('assistant', suggestion)];
    // A text and the value that it spells are the same message, so such a pair teaches nothing.
    if (preferred.content === other.content) return null;
    return {
      input: { messages: [message('user', input)], tools: [], parallel_tool_calls: true },
      preferred_output: [preferred],
      non_preferred_output: [other],
    };
  },
  eval: ({ id, action, input, suggestion, output, reason, riskFlags }) => ({
    id,
    action,
    input: rawJson(input),
    // It is unknown for a rejection: null would be an answer.
    ...(output !== null && { expected: rawJson(output) }),
    rejected: rawJson(suggestion),
    tags: [reason, ...riskFlags],
  }),
};

/** A string is its own message; any other value is given as its JSON text. */
function message(role: 'user' | 'assistant', json: string) {
  const value: unknown = JSON.parse(json);
  return { role, content: typeof value === 'string' ? value : oneLine(json) };
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

/** The value that a text spells; the text itself when it spells none, or a string. */
function readAs(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? text : value;
  } catch {
    return text;
  }
}

function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
