// Changes come from our own page or not at all (security A5): exact Origin, and Sec-Fetch-Site where the browser sends it.
import type { Context } from 'koa';
import { Refusal } from '@countersign/shared/errors';

/** Refuses a cookie-authenticated change whose Origin is not exactly ours. Reading (GET) is free. Errors: `origin_refused`. */
export function refuseForeignOrigin(ctx: Context, baseUrl: string): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  const site = ctx.get('sec-fetch-site');
  if (ctx.get('origin') === new URL(baseUrl).origin && (site === '' || site === 'same-origin')) return;
  throw new Refusal('origin_refused', `Open this service at ${new URL(baseUrl).origin} and try again there.`);
}
