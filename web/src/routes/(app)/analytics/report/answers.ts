// Answers each question of the page in one sentence: an unknown value is named, never drawn as zero.
import { count, duration, length, share } from '#lib/format/format.ts';
import { arrivedShare, automaticOf, growthOf, paceOf, waitingOf } from '@countersign/shared/figures';
import { SMALL_N } from '#lib/components/charts/small-n.ts';
import type { TimeBucket } from '#lib/components/charts/steps.ts';
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { COUNT_LIMIT } from '@countersign/shared/limits';
import { mixOf } from './mix.ts';
import { worst } from './overrides.ts';
import { momentName, type Range } from '../range.ts';
import { messages } from '../messages.ts';

export interface Answer {
  answer: string;
  /** Unit, n and interval. */
  unit: string;
  /** There is something to draw. */
  known: boolean;
}

/** A number that is counted up to `COUNTED`: itself, or a lower bound of it. */
export const atLeast = (n: number): string => `${count(n)}${n < COUNT_LIMIT ? '' : '+'}`;

const SECONDS = [1, 10, 60, 600, 3600, 36_000, 86_400, 604_800, 2_592_000, 31_536_000];
/** Round durations for a time scale, in seconds, with their labels. */
export const TIME_TICKS = SECONDS.map((value) => ({ value, label: length(value) }));

/** AN34: how many arrivals were auto-approved, and how many still wait. */
export function mixAnswer(
  report: Pick<Analytics, 'mix' | 'routing' | 'arrived'> & { audits: { waiting: number } },
  range: Range,
): Answer {
  const { mix, arrived } = report;
  const when = messages.range.last[range];
  const unit = messages.mix.unit(count(arrived), when);
  if (arrived === 0) return { answer: messages.mix.empty(when), unit, known: false };
  const { approved, inAudit, revised } = automaticOf(report);
  // The bar counts present statuses: after a revision its share is of another number, and cannot be quoted here.
  const part = mixOf(mix).find(({ key, n }) => key === 'auto_approved' && n === approved);
  const answer = messages.mix.answer({
    ...{ approved: count(approved), arrived: count(arrived), rate: part?.share ?? share(approved, arrived) },
    since: [
      ...(inAudit > 0 ? [messages.mix.inAudit(count(inAudit))] : []),
      ...(revised > 0 ? [messages.mix.revised(count(revised))] : []),
    ],
    waiting: count(waitingOf({ queued: mix.queued ?? 0, escalated: mix.escalated ?? 0 })),
  });
  return { answer, unit, known: true };
}

/** AN33: arrivals against decisions say yes or no, and due times are a second sentence. */
export function flowAnswer(
  report: Pick<Analytics, 'waiting' | 'past_due' | 'arrived' | 'enqueued' | 'decided'>,
  range: Range,
): Answer {
  const { past_due, arrived, enqueued, decided } = report;
  const waiting = waitingOf(report.waiting);
  const unit = messages.flow.unit(messages.flow.step[range], {
    enqueued: count(enqueued),
    arrived: count(arrived),
    decided: count(decided),
  });
  const when = messages.range.last[range];
  if (waiting + arrived + decided === 0) return { answer: messages.flow.empty(when), unit, known: false };
  const growth = count(Math.abs(growthOf({ enqueued, decided })));
  const pace = {
    idle: messages.flow.clear,
    clear: messages.flow.clear,
    ahead: messages.flow.ahead(growth, when),
    even: messages.flow.even(when),
    behind: messages.flow.behind(growth, when),
  }[paceOf(waiting, { enqueued, decided })];
  return { answer: waiting === 0 ? pace : `${pace} ${dueWords(past_due, waiting)}`, unit, known: true };
}

function dueWords(late: number, waiting: number): string {
  if (late > 0) return messages.flow.late(atLeast(late), count(waiting));
  return waiting === 1 ? messages.flow.oneInTime : messages.flow.inTime(count(waiting));
}

/** WH10: how many of the deliveries that ended arrived, each once, and what is being retried. `now` in ms. */
export function webhookAnswer({ webhook }: Pick<Analytics, 'webhook'>, range: Range, now: number): string {
  const { deliveries, retrying, oldest_retrying_at: oldest } = webhook;
  const { succeeded, dead } = deliveries;
  const rate = arrivedShare(deliveries);
  const ended = count(succeeded + dead);
  const retried =
    retrying > 0 && oldest !== null
      ? messages.webhook.retrying(atLeast(retrying), duration(now - Date.parse(oldest)))
      : '';
  const none = retried === '' ? messages.webhook.empty(messages.range.last[range]) : messages.webhook.none;
  const said =
    rate === null
      ? none
      : dead === 0
        ? messages.webhook.all(ended)
        : messages.webhook.some(share(succeeded, succeeded + dead), ended, count(dead));
  return retried === '' ? said : `${said} ${retried}`;
}

export function timeAnswer({ time_to_decision }: Pick<Analytics, 'time_to_decision'>, range: Range): Answer {
  const { n, p50, p90, p99 } = time_to_decision;
  if (n === 0 || p50 === null || p90 === null || p99 === null) {
    return { answer: messages.time.empty(messages.range.last[range]), unit: messages.time.emptyUnit, known: false };
  }
  const answer = n === 1 ? messages.time.one(length(p50)) : messages.time.answer(length(p50), length(p90));
  return { answer, unit: messages.time.unit(count(n), length(p99), n < SMALL_N), known: true };
}

/** The slowest bucket; `name` describes its time. */
export function slowerAnswer(
  timeBuckets: readonly TimeBucket[],
  range: Range,
  name: (timeBucket: TimeBucket) => string,
): Answer {
  const known = timeBuckets.flatMap((timeBucket) =>
    timeBucket.times === null ? [] : [{ timeBucket, p50: timeBucket.times.p50 }],
  );
  const unit = messages.slower.unit(count(timeBuckets.reduce((sum, { n }) => sum + n, 0)), known.length);
  const [first, ...rest] = known;
  if (first === undefined) return { answer: messages.time.empty(messages.range.last[range]), unit, known: false };
  const slowest = rest.reduce((worst, each) => (each.p50 > worst.p50 ? each : worst), first);
  return {
    answer: messages.slower.answer(name(slowest.timeBucket), length(slowest.p50)),
    unit,
    known: true,
  };
}

export function overridesAnswer(
  { overrides, decided, overridden }: Pick<Analytics, 'overrides' | 'decided' | 'overridden'>,
  range: Range,
): Answer {
  const unit = messages.overrides.unit(count(decided));
  if (decided === 0) return { answer: messages.overrides.empty(messages.range.last[range]), unit, known: false };
  if (overridden === 0) return { answer: messages.overrides.never(count(decided)), unit, known: true };
  const most = worst(overrides);
  const answer =
    most === null
      ? messages.overrides.few
      : messages.overrides.most({
          name: most.kind === 'none' ? messages.overrides.without[most.split] : most.key,
          rate: share(most.k, most.n),
          low: share(most.low, 1),
          high: share(most.high, 1),
        });
  return { answer, unit, known: true };
}

/** How many of the suggestions that were checked do not satisfy their schema, over all models (AN31). */
export function invalidAnswer(
  { invalid, invalid_since, time_zone }: Pick<Analytics, 'invalid' | 'invalid_since' | 'time_zone'>,
  range: Range,
): Answer {
  const judged = invalid.reduce((sum, row) => sum + row.judged, 0);
  const broken = invalid.reduce((sum, row) => sum + row.invalid, 0);
  const since = invalid_since === null ? null : momentName(Date.parse(invalid_since), time_zone);
  const unit = messages.invalid.unit(count(judged), since);
  if (judged === 0) return { answer: messages.invalid.empty(messages.range.last[range]), unit, known: false };
  if (broken === 0) return { answer: messages.invalid.all(count(judged)), unit, known: true };
  return { answer: messages.invalid.some(count(broken), count(judged), share(broken, judged)), unit, known: true };
}

/** How many items their deadline ended, and their share of all that left the queue, over all flags and models (AN32). */
export function expiredAnswer({ expired }: Pick<Analytics, 'expired'>, range: Range): Answer {
  const { n, ended, interval } = expired;
  const when = messages.range.last[range];
  const unit = messages.expired.unit(count(ended));
  if (n === 0 || interval === null) return { answer: messages.expired.none(when), unit, known: false };
  const { low, high } = interval;
  const answer = messages.expired.some({
    ...{ n: count(n), ended: count(ended), rate: share(n, ended) },
    ...{ low: share(low, 1), high: share(high, 1) },
  });
  return { answer, unit, known: true };
}
