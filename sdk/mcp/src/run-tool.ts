// What each tool does by the public API, and what its refusals say.
import type { ToolCall } from '../../../server/src/http/mcp/tool-server.ts';
import {
  ApiError,
  type Client,
  NetworkError,
  type NewItem,
  UnexpectedAnswerError,
} from '../../../shared/src/client.ts';
import { newIdempotencyKey } from '../../../shared/src/idempotency-key.ts';
import { type ToolFault, toolRefusal, toolResult, type ToolResult } from '../../../shared/src/mcp/results.ts';
import { TOOLS, type ToolName } from '../../../shared/src/mcp/tools.ts';
import { argumentsOf, InvalidArguments } from './arguments.ts';

/** The project of the key, at a service. */
export interface ReviewService {
  client: Pick<Client, 'submit' | 'item' | 'withdraw'>;
  projectId: string;
  /** Without a slash at its end. */
  baseUrl: string;
}

type Answer = { id: string };
type Runner = (service: ReviewService, call: Omit<ToolCall, 'name'>) => Promise<Answer>;

const RUNNERS: Record<ToolName, Runner> = {
  request_review: async ({ client, projectId }, { args, signal }) => {
    const { idempotency_key: given, ...item } = argumentsOf(TOOLS.request_review.input, args);
    const idempotencyKey = given ?? newIdempotencyKey();
    const submission = { ...item, project_id: projectId } as NewItem;
    try {
      const { id, status, decision } = await client.submit(submission, { signal, idempotencyKey });
      return { id, status, decision };
    } catch (error) {
      throw mayHaveTakenEffect(error) ? new Unacknowledged(idempotencyKey, error) : error;
    }
  },
  check_review: ({ client }, { args, signal }) => {
    const { id, wait_seconds: waitSeconds } = argumentsOf(TOOLS.check_review.input, args);
    return client.item(id, { waitSeconds, signal });
  },
  withdraw_review: ({ client }, { args, signal }) => {
    const { id, reason } = argumentsOf(TOOLS.withdraw_review.input, args);
    return client.withdraw(id, { signal, ...(reason !== undefined && { reason }) });
  },
};

/** Runs a tool by the API of the service. Errors: all but refusals of the service, which are results. */
export async function runTool(service: ReviewService, { name, ...call }: ToolCall): Promise<ToolResult> {
  try {
    const structured = await RUNNERS[name](service, call);
    const content = toolResult({ text: JSON.stringify(structured), id: structured.id, baseUrl: service.baseUrl });
    return { content, structuredContent: { ...structured } };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return toolRefusal(fault);
  }
}

/** A submission without an acknowledgement: it may have been stored. */
class Unacknowledged extends Error {
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string, cause: unknown) {
    super('The submission was not acknowledged.', { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

const isOutside = (error: unknown): error is NetworkError | UnexpectedAnswerError =>
  error instanceof NetworkError || error instanceof UnexpectedAnswerError;

/** Any request of a call may have been stored, so the error of the last one alone does not say. */
const mayHaveTakenEffect = (error: unknown): boolean =>
  isOutside(error) || (error instanceof ApiError && (error.temporary || error.tries > 1));

const REPEAT = 'It may have been stored: repeat the call with the same arguments and this idempotency_key.';

function faultOf(error: unknown): ToolFault | null {
  if (error instanceof Unacknowledged) {
    const fault = faultOf(error.cause);
    return fault && { ...fault, detail: `${fault.detail} ${REPEAT}`, idempotency_key: error.idempotencyKey };
  }
  if (error instanceof InvalidArguments) {
    const { message: detail, errors } = error;
    return { code: 'validation_failed', detail, request_id: null, errors };
  }
  if (error instanceof ApiError) {
    const { code, detail, requestId, errors, item, retryAfter } = error;
    return {
      ...{ code, detail, request_id: requestId },
      ...(errors.length > 0 && { errors }),
      ...(item !== null && { item }),
      ...(retryAfter !== null && { retry_after_seconds: retryAfter }),
    };
  }
  if (!isOutside(error)) return null;
  return { code: 'unavailable', detail: `${error.message}. Try again later.`, request_id: null };
}
