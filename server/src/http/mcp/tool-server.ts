// The tools as a server object of the official MCP SDK, over HTTP and by stdio alike (sdk/mcp).
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ToolResult } from '@countersign/shared/mcp/results';
import { describeTools, INSTRUCTIONS, isToolName, SERVER_INFO, type ToolName } from '@countersign/shared/mcp/tools';

/** Versions with the `initialize` handshake; older ones require batches, of which each would count as one request. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18'];

const TOOL_LIST = describeTools();

/** A call of a tool. */
export interface ToolCall {
  name: ToolName;
  /** As they were sent: not validated. */
  args: Readonly<Record<string, unknown>>;
  /** Aborts when the client cancels the call. */
  signal: AbortSignal;
}

/** Runs a tool. A refusal is a result; an error that it throws is one of the protocol. */
export type RunTool = (call: ToolCall) => Promise<ToolResult>;

export function createToolServer(run: RunTool): Server {
  const options = {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: HANDSHAKE_VERSIONS,
  };
  const server = new Server(SERVER_INFO, options);
  server.setRequestHandler('tools/list', () => ({ tools: TOOL_LIST }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, { mcpReq: { signal } }) => {
    if (!isToolName(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return { ...(await run({ name, args, signal })) };
  });
  return server;
}
