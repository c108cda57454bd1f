// The lines of an export (rule LX): one learning, one line of JSON, in four formats. What is written in them stays data.
import type { ExportFilter, ExportFormat } from '@countersign/shared/api/exports';
import { jsonText } from '@countersign/shared/json/json';
import { oneLine } from '@countersign/shared/json/json-line';
import { rawJson } from '../items/decision.ts';

/** A learning with what its item was. `input`, `suggestion` and `output` are JSON text as submitted; `output` is null of a rejection. */
export interface Exported {
  id: string;
  itemId: string;
  action: 'edit' | 'reject';
  input: string;
  suggestion: string;
  output: string | null;
  /** What the edit changed, as operations of a JSON Patch (RFC 6902); null of a rejection. */
  diff: readonly object[] | null;
  reason: string;
  note: string | null;
  confidence: number;
  riskFlags: readonly string[];
  model: string | null;
  source: string | null;
  reviewer: { id: string; address: string };
  settingsVersion: number;
  /** The settings version that brought the guidelines as they stood; null where that was not kept yet. */
  guidelinesVersion: number | null;
  decidedAt: Date;
}

/** LX1: a rejection without a correction is no example to learn from, so it gives no line here. */
export const needsCorrection = (format: ExportFormat): boolean => format === 'chat' || format === 'preference';

/** LX1: whether each learning that is read gives a line. */
export const hasLineForEach = ({ format, split }: ExportFilter): boolean =>
  format !== 'preference' && split === undefined;

/** LX1: one line without its end, or null for what gives none. */
export function lineOf(format: ExportFormat, learning: Exported): string | null {
  const value = SHAPES[format](learning);
  return value === null ? null : oneLine(jsonText(value));
}

/** `chat` and `preference` are OpenAI's published formats for fine-tuning by example and by preference. */
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
    // A text and the value that is written like it read the same: such a pair teaches nothing.
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
    // Of a rejection it is not known: null would be an answer.
    ...(output !== null && { expected: rawJson(output) }),
    rejected: rawJson(suggestion),
    tags: [reason, ...riskFlags],
  }),
};

/** A string speaks for itself; any other value is told as the JSON it was. */
function message(role: 'user' | 'assistant', json: string) {
  const value: unknown = JSON.parse(json);
  return { role, content: typeof value === 'string' ? value : oneLine(json) };
}

/** LX3: whether an input at this point of a split, 0 to 1, is of the side that was asked for. */
export const isOfSplit = ({ split, test_share: share }: ExportFilter, point: number): boolean =>
  split === undefined || point < share === (split === 'test');

/**
 * LX3: what is hashed to find that point: one text for one value, whatever the order of its keys and the space between them. A
 * text that is written like another value counts as that one, because a message of the two reads the same.
 */
export function splitText(input: string): string {
  const value: unknown = JSON.parse(input);
  return canonical(typeof value === 'string' ? readAs(value) : value);
}

/** The value that a text is written like; the text itself where it is like none, or like a text. */
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
