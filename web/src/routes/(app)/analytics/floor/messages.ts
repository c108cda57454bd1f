// Texts of the live team view.
import type { Drain, TeamView, Flow } from '@countersign/shared/schemas/team';
import { atFirstUse } from '#lib/format/at-first-use.ts';
import { count, hourAndMinute, length } from '#lib/format/format.ts';
import type { MemberStatus } from './member-status.ts';

const items = (n: number) => `${count(n)} ${n === 1 ? 'item' : 'items'}`;
const dayAndTime = atFirstUse(
  () => new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
);

/** The time windows of the pace, as part of a sentence. */
const LAST = { 15: 'the last 15 minutes', 60: 'the last hour' } satisfies Record<Flow['minutes'], string>;
const last = (minutes: Flow['minutes'] | null) => LAST[minutes ?? 60];

/** When that is, `seconds` from now: the time of day, with the day from half a day on. */
const timeOf = (at: number, seconds: number): string =>
  seconds < 12 * 3600 ? hourAndMinute(at) : dayAndTime().format(at);

export const teamMessages = {
  page: 'Team',
  sections: { label: 'Analytics', report: 'Report', floor: 'Team' },
  failed: "Couldn't load the team view",
  stale: "Couldn't refresh the team view",

  drain: {
    question: 'When will the queue be empty?',
    /** `at`: when that is, in ms. */
    answer: (drain: Drain, waiting: number, now: number): string => {
      const { state, seconds, minutes } = drain;
      if (state === 'empty') return 'The queue is empty.';
      if (state === 'draining' && seconds !== null) {
        const at = now + seconds * 1000;
        return `In ${length(seconds)}, at ${timeOf(at, seconds)}, at the pace of ${last(minutes)}.`;
      }
      if (state === 'growing')
        return `Never at this pace: in ${last(minutes)} more items were sent to review than decided.`;
      if (state === 'standing')
        return `Not within a week: in ${last(minutes)} about as many items were sent to review as were decided.`;
      return `Not enough data: fewer than five decisions in the last hour. ${items(waiting)} waiting.`;
    },
    unit: (flow: readonly Flow[]) =>
      flow
        .map(({ minutes, arrived, decided }) => `last ${minutes} min: ${count(arrived)} in, ${count(decided)} decided`)
        .join(' · '),
    line: (waiting: string, end: string) => `From ${waiting} waiting now to 0 at ${end}`,
    now: 'now',
    at: timeOf,
  },

  head: {
    waiting: 'waiting',
    escalated: (n: string) => `${n} escalated`,
    held: 'claimed',
    usual: (n: number) => `median time per decision (n ${count(n)})`,
    unusual: 'median time per decision (not known yet)',
    stuckAfter: (seconds: number) => `stuck (over ${length(seconds)})`,
  },

  people: {
    heading: 'Who is working on what?',
    answer: ({ holding, idle }: { holding: number; idle: number }) =>
      `${holding === 0 ? 'Nobody is reviewing' : `${count(holding)} ${holding === 1 ? 'person is' : 'people are'} reviewing`}${idle === 0 ? '' : `, ${count(idle)} ${idle === 1 ? 'is' : 'are'} idle`}.`,
    unit: ({ stuck_after_seconds, idle_after_seconds }: TeamView) =>
      `stuck: over ${length(stuck_after_seconds)} on one item · idle: no claim or decision for ${length(idle_after_seconds)} · sorted by status, then name`,
    columns: { person: 'Person', item: 'Current item', hour: 'Last hour', last: 'Last decision', usual: 'Median time' },
    nobodyElse: 'You are the only member. Add people to share the work.',
    toPeople: 'Add people',
    more: (n: number) => `${items(n)} more claimed but not listed.`,
    memberStatus: {
      stuck: 'stuck',
      holding: 'reviewing',
      working: 'active',
      idle: 'idle',
      away: 'away',
    } satisfies Record<MemberStatus, string>,
    roles: { reviewer: 'reviewer', supervisor: 'supervisor', owner: 'owner' },
    nothing: {
      stuck: '',
      holding: '',
      working: 'between items',
      idle: 'no item',
      away: 'no item',
    } satisfies Record<MemberStatus, string>,
    held: (time: string, until: string) => `${time} · claim until ${until}`,
    bar: (name: string, time: string, line: string) => `Claimed by ${name} for ${time}; stuck after ${line}`,
    none: 'none in 24 h',
  },
};
