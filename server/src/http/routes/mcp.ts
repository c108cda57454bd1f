// The MCP server over streamable HTTP: one message per request, one JSON response (docs/spec/mcp.md).
import type { Context } from 'koa';
import { callMcp } from '@countersign/shared/routes/public';
import type { RpcReply } from '@countersign/shared/schemas/public';
import type { Services } from '../../usecases/services.ts';
import { asRpcFault, MESSAGE_BYTES, METHOD_NOT_FOUND, readMessage, RpcFault, type Message } from '../mcp/message.ts';
import { prepareTool, type McpCall, type PreparedTool } from '../mcp/tools.ts';
import { DeferredReply, ReplyWithStatus } from '../response/reply.ts';
import type { Binder } from '../route.ts';

type Reply = ReplyWithStatus<RpcReply>;

export function bindMcp(bind: Binder, services: Services): void {
  bind.pipelineBytes(callMcp, MESSAGE_BYTES, async ({ actor, bytes, ctx }) => {
    try {
      return await answerBytes(services, { actor, ctx }, bytes);
    } catch (error) {
      if (error instanceof RpcFault) return faultReply(400, error);
      throw error;
    }
  });
}

async function answerBytes(services: Services, call: McpCall, bytes: Buffer): Promise<Reply | DeferredReply<Reply>> {
  const message = readMessage(bytes);
  const { envelope, tool } = message;
  if (envelope.method === 'subscriptions/listen') {
    const fault = new RpcFault(METHOD_NOT_FOUND, 'There is nothing to subscribe to: the list of tools never changes.');
    return faultReply(404, fault, envelope.id);
  }
  const prepared = prepare(services, call, { ...message, bytes });
  const answer = () => answerEnvelope(services, call.ctx, { envelope, prepared });
  // It may wait, and must not hold the text of its arguments meanwhile: no closure here may use `message` or `bytes`.
  return tool === 'check_review' ? new DeferredReply(answer) : answer();
}

const prepare = (services: Services, call: McpCall, message: Message & { bytes: Buffer }): PreparedTool | null =>
  asRpcFault(message.bytes, () => prepareTool(services, call, message));

/** The headers of the protocol; no other header of a request concerns the SDK. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

async function answerEnvelope(
  { baseUrl }: Services,
  ctx: Context,
  { envelope, prepared }: Pick<Message, 'envelope'> & { prepared: PreparedTool | null },
): Promise<Reply> {
  const { answerMessage } = await import('../mcp/answer-message.ts');
  const headers = HEADERS.flatMap((name): [string, string][] => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)]]));
  const request = new Request(new URL(callMcp.path, baseUrl), { method: 'POST', headers });
  let structured: unknown = null;
  const response = await answerMessage(request, envelope, async ({ name }) => {
    if (prepared === null) throw new Error(`The tool ${name} has no arguments.`);
    const outcome = await prepared();
    ({ structured } = outcome);
    // The SDK would print numbers its own way: the content takes the place of this object below (I7).
    return structured === null ? outcome.result : { ...outcome.result, structuredContent: {} };
  });
  const text = await response.text();
  if (text === '') return new ReplyWithStatus(response.status, undefined as unknown as RpcReply);
  const reply = JSON.parse(text) as RpcReply;
  if (structured !== null && reply.result) reply.result.structuredContent = structured;
  return new ReplyWithStatus(response.status, reply);
}

function faultReply(status: number, { code, message }: RpcFault, id: RpcReply['id'] = null): Reply {
  return new ReplyWithStatus<RpcReply>(status, { jsonrpc: '2.0', id, error: { code, message } });
}
