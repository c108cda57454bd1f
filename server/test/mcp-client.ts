// The official MCP client for tests: over HTTP with an API key, in both ways that the protocol has been spoken.
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { callMcp } from '@countersign/shared/routes/public';
import type { ToolFault } from '@countersign/shared/mcp/results';
import type { SharedTestEnvironment } from './test-environment.ts';

/** With the handshake of 2025, or with the version in each message as of 2026-07-28. */
export const ERAS = ['legacy', 'auto'] as const;
export type Era = (typeof ERAS)[number];

interface Connecting {
  testEnv: Pick<SharedTestEnvironment, 'url'>;
  headers: Record<string, string>;
  era?: Era;
  /** Which process takes the requests. */
  process?: number;
}

/** A connected client. Close it. */
export async function mcpClient({ testEnv, headers, era = 'legacy', process }: Connecting): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const url = new URL(callMcp.path, testEnv.url(process));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

/** The structured content of a call, which the client has checked against the schema of the tool; its text says the same. */
export async function answerOf<T>(client: Client, name: string, args: object = {}): Promise<T> {
  const result = await client.callTool({ name, arguments: { ...args } });
  expect(result.isError, JSON.stringify(result)).toBeFalsy();
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  return result.structuredContent as T;
}

/** The refusal of a call. */
export async function refusalOf(client: Client, name: string, args: object = {}): Promise<ToolFault> {
  const result = await client.callTool({ name, arguments: { ...args } });
  expect(result.isError, JSON.stringify(result)).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  return JSON.parse(textOf(result)) as ToolFault;
}

function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  const [first] = content;
  if (first?.type !== 'text') throw new Error('A result begins with text.');
  return first.text;
}
