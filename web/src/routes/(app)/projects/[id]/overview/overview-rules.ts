// Rules of a project's overview: the depth line with its sentence, and which deliveries are its last errors.
import type { Analytics } from '@countersign/shared/schemas/analytics';
import type { Delivery } from '@countersign/shared/schemas/deliveries';
import type { Step } from '#lib/components/charts/steps.ts';
import { count, hourAndMinute, zoneName } from '#lib/format/format.ts';
import { messages } from './overview-messages.ts';

const MINUTE = 60_000;
/** How far back the line looks, in ms. */
const SPAN_MS = 6 * 60 * MINUTE;

/** The shortest span for a new project, in ms: a line needs some length. */
const LEAST_MS = 10 * MINUTE;

/**
 * How far back the line looks for a project created at a time: its whole span, all of the project's time, or the shortest span.
 */
export function reach(now: number, createdAt: number): 'full' | 'all' | 'least' {
  const age = now - createdAt;
  return age >= SPAN_MS ? 'full' : age > LEAST_MS ? 'all' : 'least';
}

/** The window that ends now (ms) and begins with the project; the server's own clock closes it. */
export function depthQuery(now: number, createdAt: number): { from: string; bucket: 'minute' } {
  const from = { full: now - SPAN_MS, all: createdAt, least: now - LEAST_MS }[reach(now, createdAt)];
  return { from: new Date(from).toISOString(), bucket: 'minute' };
}

type Flow = readonly Pick<Analytics['flow'][number], 'at' | 'waiting'>[];

/** Each minute with the depth at its end, up to the present. */
export function depthSteps({ flow, to }: { flow: Flow; to: string }): Step[] {
  const end = Date.parse(to);
  return flow.map(({ at, waiting }) => {
    const start = Date.parse(at);
    return { start, end: Math.min(start + MINUTE, end), lead: 0, main: waiting, partial: false };
  });
}

/** The line in one sentence: how many wait now, and its peak, at a time in the project's zone (AN6). */
export function depthAnswer(steps: readonly Step[], zone: string): string {
  const now = steps.at(-1)?.main ?? 0;
  // Of equal peaks the latest is the one people remember.
  const peak = steps.reduce((most, step) => (step.main >= most.main ? step : most), steps[0] ?? NOTHING);
  if (peak.main === 0) return messages.depth.nothing;
  if (peak.main === now) return messages.depth.still(count(now));
  return messages.depth.most(count(now), count(peak.main), `${hourAndMinute(peak.start, zone)} ${zoneName(zone)}`);
}

const NOTHING: Step = { start: 0, end: 0, lead: 0, main: 0, partial: false };

/** How many deliveries are searched. */
export const LOOKED_AT = 100;
const SHOWN = 5;

/** The newest few that are dead, or were tried without success and are still open. */
export const lastErrors = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries
    .filter(({ status, attempt }) => status === 'dead' || (OPEN.includes(status) && attempt > 0))
    .slice(0, SHOWN);

const OPEN: readonly Delivery['status'][] = ['pending', 'sending', 'paused'];
