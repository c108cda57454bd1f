// The MCP protocol by its official SDK: one server object per message. Loaded on demand, for its size (decision 0017).
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ToolResult } from '@countersign/shared/mcp/results';
import { describeTools, INSTRUCTIONS, isToolName, SERVER_INFO } from '@countersign/shared/mcp/tools';

/** Versions with the `initialize` handshake; older ones require batches, of which each would count as one request. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18'];

const TOOL_LIST = describeTools();

/** Runs a tool by its name. */
export type RunTool = (name: string) => Promise<ToolResult>;

function createToolServer(run: RunTool): Server {
  const options = {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: HANDSHAKE_VERSIONS,
  };
  const server = new Server(SERVER_INFO, options);
  server.setRequestHandler('tools/list', () => ({ tools: TOOL_LIST }));
  server.setRequestHandler('tools/call', async ({ params: { name } }) => {
    if (!isToolName(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return { ...(await run(name)) };
  });
  return server;
}

/**
 * Answers one message over HTTP with one JSON body, never a stream. `request` carries the headers, `message` is its parsed
 * body. Without sessions: any process can answer any message (MC1).
 */
export async function answerMessage(request: Request, message: unknown, run: RunTool): Promise<Response> {
  if (!(await isLegacyRequest(request, message))) {
    const handler = createMcpHandler(() => createToolServer(run), { legacy: 'reject' });
    return handler.fetch(request, { parsedBody: message });
  }
  const server = createToolServer(run);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}
