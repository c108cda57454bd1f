#!/usr/bin/env node
// `countersign-mcp`: the review tools as an MCP server by stdio, for hosts that start their servers as programs.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../../../server/src/http/mcp/tool-server.ts';
import { createClient } from '../../../shared/src/client.ts';
import { runTool } from './run-tool.ts';

const USAGE =
  'Set COUNTERSIGN_URL (such as https://review.example.org), COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID (both from the page of the project).';

/** A tool answers before its host gives up on it: one wait of 55 s, and little more. */
const TIMES = { timeoutSeconds: 10, retry: { seconds: 20 } };

const { COUNTERSIGN_URL: url = '', COUNTERSIGN_API_KEY: key = '', COUNTERSIGN_PROJECT_ID: project = '' } = process.env;

function start(): void {
  if (url === '' || key === '' || project === '') throw new TypeError('A setting is missing.');
  const client = createClient({ baseUrl: url, apiKey: key, ...TIMES });
  const service = { client, projectId: project, baseUrl: url.replace(/\/+$/, '') };
  serveStdio(() => createToolServer((call) => runTool(service, call)), {
    onerror: (error) => console.error(error.message),
  });
}

try {
  start();
} catch (error) {
  // Standard output belongs to the protocol.
  console.error(`${error instanceof TypeError ? error.message : String(error)} ${USAGE}`);
  process.exitCode = 2;
}
