// The MCP server over streamable HTTP: one message per request, one JSON response (docs/spec/mcp.md).
import type { Context } from 'koa';
import { Refusal } from '@countersign/shared/errors';
import { isToolName, TOOLS } from '@countersign/shared/mcp/tools';
import { callMcp } from '@countersign/shared/routes/public';
import type { RpcReply } from '@countersign/shared/schemas/public';
import type { Reservation } from '../../limits/memory-budget.ts';
import type { Services } from '../../usecases/services.ts';
import { resizeForRead } from '../admission/memory-reservation.ts';
import { asRpcFault, MESSAGE_BYTES, METHOD_NOT_FOUND, readMessage, RpcFault, type Message } from '../mcp/message.ts';
import { prepareTool, type McpCall, type PreparedTool, type ToolOutcome } from '../mcp/tools.ts';
import { DeferredReply, ReplyWithStatus } from '../response/reply.ts';
import type { Binder } from '../route.ts';

type Reply = ReplyWithStatus<RpcReply>;

/** A call with the memory that is reserved for its response (MB1). */
type Call = McpCall & { reserved: Reservation };

export function bindMcp(bind: Binder, services: Services): void {
  bind.pipelineBytes(callMcp, MESSAGE_BYTES, async ({ actor, bytes, ctx, reserved }) => {
    try {
      return await answerBytes(services, { actor, ctx, reserved }, bytes);
    } catch (error) {
      if (error instanceof RpcFault) return faultReply(400, error);
      throw error;
    }
  });
}

async function answerBytes(services: Services, call: Call, bytes: Buffer): Promise<Reply | DeferredReply<Reply>> {
  const message = readMessage(bytes);
  const { envelope, tool } = message;
  if (envelope.method === 'subscriptions/listen') {
    const fault = new RpcFault(METHOD_NOT_FOUND, 'There is nothing to subscribe to: the list of tools never changes.');
    return faultReply(404, fault, envelope.id);
  }
  const prepared = prepare(services, call, { ...message, bytes });
  const isRead = tool === null || !isToolName(tool) || TOOLS[tool].annotations.readOnlyHint;
  const answer = () => answerEnvelope(services, call, { envelope, prepared, isRead });
  // While it waits it must not hold the text of its arguments: no closure here may use `message` or `bytes`.
  return prepared?.mayWait ? new DeferredReply(answer) : answer();
}

const prepare = (services: Services, call: McpCall, message: Message & { bytes: Buffer }): PreparedTool | null =>
  asRpcFault(message.bytes, () => prepareTool(services, call, message));

/** The headers of the protocol; no other header of a request concerns the SDK. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

interface Question extends Pick<Message, 'envelope'> {
  prepared: PreparedTool | null;
  /** It changes nothing, so that its response may be refused. */
  isRead: boolean;
}

/** Errors: `unavailable`, only for reads (MB1). */
async function answerEnvelope(
  { baseUrl }: Services,
  { ctx, reserved }: Call,
  { envelope, prepared, isRead }: Question,
): Promise<Reply> {
  const { answerMessage } = await import('../mcp/answer-message.ts');
  const request = new Request(new URL(callMcp.path, baseUrl), { method: 'POST', headers: protocolHeaders(ctx) });
  let structured: unknown = null;
  let refusal = null as Refusal | null;
  const response = await answerMessage(request, envelope, async ({ name }) => {
    if (prepared === null) throw new Error(`The tool ${name} has no arguments.`);
    const outcome = await prepared.run();
    ({ structured } = outcome);
    try {
      if (isRead) resizeForRead(reserved, Math.max(reserved.bytes, responseBytes(outcome)));
    } catch (error) {
      // The SDK would make it an error of the protocol: it is thrown again below.
      if (error instanceof Refusal) refusal = error;
      throw error;
    }
    // The SDK would print numbers its own way: the content takes the place of this object below (I7).
    return structured === null ? outcome.result : { ...outcome.result, structuredContent: {} };
  });
  if (refusal !== null) throw refusal;
  const text = await response.text();
  if (text === '') return new ReplyWithStatus(response.status, undefined as unknown as RpcReply);
  const reply = JSON.parse(text) as RpcReply;
  if (structured !== null && reply.result) reply.result.structuredContent = structured;
  return new ReplyWithStatus(response.status, reply, { isRead });
}

/** The SDK answers 406 where `Accept` lacks `text/event-stream`, which no response here is: it is added for clients of JSON. */
function protocolHeaders(ctx: Context): Headers {
  const headers = new Headers();
  for (const name of HEADERS) if (ctx.get(name) !== '') headers.set(name, ctx.get(name));
  if (ctx.accepts('application/json') !== false) headers.set('accept', 'application/json, text/event-stream');
  return headers;
}

/** What the response has at least, in bytes: the item as text, and once more as structured content. */
function responseBytes({ result, structured }: ToolOutcome): number {
  const texts = result.content.map((block) => (block.type === 'text' ? Buffer.byteLength(block.text) : 0));
  return (structured === null ? 1 : 2) * texts.reduce((sum, bytes) => sum + bytes, 0);
}

function faultReply(status: number, { code, message }: RpcFault, id: RpcReply['id'] = null): Reply {
  return new ReplyWithStatus<RpcReply>(status, { jsonrpc: '2.0', id, error: { code, message } });
}
