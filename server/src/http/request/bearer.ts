// Reads a bearer token (RFC 6750) from the Authorization header.
import type { Context } from 'koa';

/** Undefined without one. */
export const bearerOf = (ctx: Context): string | undefined => /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1];
