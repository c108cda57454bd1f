// Accepts changes only from our own page (A5, A22): exact Origin, and Sec-Fetch-Site where the browser sends it.
import type { Context } from 'koa';
import { Refusal } from '@countersign/shared/errors';

/**
 * Refuses a cookie-authenticated change whose Origin is not exactly ours. Reads (GET) are always allowed. Errors:
 * `origin_refused`.
 */
export function refuseForeignOrigin(ctx: Context, baseUrl: string): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  const site = ctx.get('sec-fetch-site');
  if (ctx.get('origin') === new URL(baseUrl).origin && (site === '' || site === 'same-origin')) return;
  throw foreign(baseUrl);
}

/**
 * Refuses a recorded GET that another site triggered (A22). Browsers report this in Sec-Fetch-Site: `none` is a typed
 * address or a bookmark. Browsers without that header send Origin or Referer, if anything. Errors: `origin_refused`.
 */
export function refuseForeignSite(ctx: Context, baseUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  const own = new URL(baseUrl).origin;
  const from = [ctx.get('origin'), ctx.get('referer')].filter((text) => text !== '');
  const isOurs = site === '' ? from.every((text) => URL.parse(text)?.origin === own) : OUR_SITES.includes(site);
  if (!isOurs) throw foreign(baseUrl);
}

/**
 * Refuses a request whose Origin, if it has one, is not ours: a page that reaches this process by another name (DNS
 * rebinding) sends the Origin of that name (MC2). Errors: `origin_refused`.
 */
export function refuseOtherOrigin(ctx: Context, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  if (['', origin].includes(ctx.get('origin'))) return;
  throw new Refusal('origin_refused', `Call this address from a program, or from a page of ${origin}.`);
}

const OUR_SITES = ['same-origin', 'none'];

function foreign(baseUrl: string): Refusal {
  return new Refusal('origin_refused', `Open Countersign at ${new URL(baseUrl).origin} and try again there.`);
}
