// The examples of the MCP endpoint: an agent asks before it issues the refund of the other examples.
import { toolRefusal, toolResult } from '@countersign/shared/mcp/results';
import type { RpcMessage, RpcReply } from '@countersign/shared/schemas/public';
import { queued, toolCallSubmission } from './examples.ts';
import { problemExample } from './problems.ts';

const BASE_URL = 'https://review.example.org';

function call(id: number, name: string, args: object): RpcMessage {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

const { project_id: _project, ...submission } = toolCallSubmission;

export const requestReview = call(1, 'request_review', { ...submission, idempotency_key: 'call-7f3a' });
export const checkReview = call(2, 'check_review', { id: queued.id, wait_seconds: 55 });

const content = toolResult({ text: JSON.stringify(queued), id: queued.id, baseUrl: BASE_URL });
export const requested: RpcReply = { jsonrpc: '2.0', id: 1, result: { content, structuredContent: queued } };

const { code, detail, request_id, errors } = problemExample('validation_failed', '/api/public/mcp');
const fault = { code, detail, request_id, ...(errors && { errors }) };
export const refused: RpcReply = { jsonrpc: '2.0', id: 1, result: { ...toolRefusal(fault) } };

const rpcFault = (code: number, message: string, id: number | null): RpcReply => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

export const notJson = rpcFault(-32_700, 'Send one JSON value. At line 2, column 7 a value was expected.', null);
export const unknownMethod = rpcFault(-32_601, 'There is nothing to subscribe to: the list of tools never changes.', 3);
export const notAcceptable = rpcFault(
  -32_000,
  'Not Acceptable: Client must accept both application/json and text/event-stream',
  null,
);
