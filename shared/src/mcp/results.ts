// The results of the MCP tools: the item with a link to its page, or a refusal that says what to do.
import type { FieldError } from '../errors.ts';
import { jsonText } from '../json/json.ts';

export interface TextBlock {
  type: 'text';
  text: string;
}
export interface LinkBlock {
  type: 'resource_link';
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

/** A result of `tools/call`. */
export interface ToolResult {
  content: (TextBlock | LinkBlock)[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** Why a tool was refused, as its text says in JSON. */
export interface ToolFault {
  code: string;
  detail: string;
  /** Identifies the request in the log of the service; null when nothing answered. */
  request_id: string | null;
  errors?: readonly FieldError[];
  retry_after_seconds?: number;
  /** Of a submission that may have been stored: the key that makes it safe to repeat. */
  idempotency_key?: string;
  /** The item, where its state is the reason. */
  item?: unknown;
}

/**
 * `text` is the structured content as JSON, for hosts that show only text; `baseUrl` is the address of the service, whose page
 * of the item members can open.
 */
export function toolResult({
  text,
  id,
  baseUrl,
}: {
  text: string;
  id: string;
  baseUrl: string;
}): ToolResult['content'] {
  return [
    { type: 'text', text },
    {
      type: 'resource_link',
      uri: `${baseUrl}/queue?item=${id}`,
      name: `review ${id}`,
      title: 'The item in Countersign',
      description: 'The page on which members of the project see and decide the item',
      mimeType: 'text/html',
    },
  ];
}

/** A refusal has no structured content: hosts check that against the output schema. */
export const toolRefusal = (fault: ToolFault): ToolResult => ({
  isError: true,
  content: [{ type: 'text', text: jsonText(fault) }],
});
