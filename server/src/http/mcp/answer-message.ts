// Answers one MCP message over HTTP by the official SDK. Loaded on demand, for its size (decision 0017).
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createToolServer, type RunTool } from './tool-server.ts';

/**
 * Answers one message with one JSON body, never a stream. `request` carries the headers, `message` is its parsed body.
 * Without sessions: any process can answer any message (MC1).
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
