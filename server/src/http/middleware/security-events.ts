// Which refusals write a line to the security log (LG1), and what it contains.
import type { Context } from 'koa';
import { verify } from '@countersign/shared/routes/session';
import type { ErrorCode, Refusal } from '@countersign/shared/errors';
import type { SecurityEvent, SecurityLog } from '../../usecases/credentials/security-log.ts';
import type { ApiKeyActor, MemberActor } from '../../usecases/services.ts';
import { logPath } from './log-path.ts';
import { clientOf } from '../admission/rate-limit.ts';

const EVENTS: Partial<Record<ErrorCode, SecurityEvent>> = {
  origin_refused: 'origin',
  session_missing: 'session',
  forbidden: 'role',
  project_mismatch: 'project',
  not_found: 'project',
  api_key_missing: 'key',
  api_key_invalid: 'key',
  signature_missing: 'signature',
  signature_invalid: 'signature',
  signature_expired: 'signature',
};

/** Remembers the caller for the log line of a later refusal. */
export function nameCaller(ctx: Context, actor: unknown): void {
  const known = actor as MemberActor | ApiKeyActor | null;
  if (known?.kind === 'member') ctx.state.caller = { user: known.userId };
  if (known?.kind === 'api_key') ctx.state.caller = { key: known.keyId };
}

/** Logs a refusal if it is security-relevant. */
export function noteRefusal(security: SecurityLog, ctx: Context, { code }: Refusal): void {
  const event = EVENTS[code];
  const caller = ctx.state.caller as { user?: string; key?: string } | undefined;
  if (event === undefined) return;
  // An unknown path has no owner; a failed sign-in is logged where it fails.
  if (code === 'not_found' && caller === undefined) return;
  if (event === 'signature' && ctx.path === verify.path) return;
  const request = { method: ctx.method, path: logPath(ctx.path), request_id: ctx.state.requestId as string };
  security.note(event, { address: clientOf(ctx), ...request, code, ...caller });
}
