// Every string of the floor.
import type { Drain, TeamView, Flow } from '@countersign/shared/api/team';
import { count, duration } from '#lib/format/format.ts';
import type { MemberStatus } from './member-status.ts';

const items = (n: number) => `${count(n)} ${n === 1 ? 'item' : 'items'}`;
const decisions = (n: number) => `${count(n)} ${n === 1 ? 'decision' : 'decisions'}`;
const hourAndMinute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** Windows of pace, as part of a sentence. */
const LAST = { 15: 'the last 15 minutes', 60: 'the last hour' } satisfies Record<Flow['minutes'], string>;
const last = (minutes: Flow['minutes'] | null) => LAST[minutes ?? 60];

/** Seconds as people say them. */
export const length = (seconds: number): string => (seconds < 1 ? 'under 1 s' : duration(seconds * 1000));

export const teamMessages = {
  page: 'Floor',
  sections: { label: 'Analytics', report: 'Report', floor: 'Floor' },
  failed: 'The floor could not be loaded',
  stale: 'The floor could not be refreshed',

  drain: {
    question: 'When is the queue empty?',
    /** `at`: when that is, in ms. */
    answer: (drain: Drain, waiting: number, now: number): string => {
      const { state, seconds, minutes } = drain;
      if (state === 'empty') return 'It is empty: nothing waits for people.';
      if (state === 'draining' && seconds !== null) {
        const at = now + seconds * 1000;
        const time = (seconds < 12 * 3600 ? hourAndMinute : dayAndTime).format(at);
        return `In ${length(seconds)}, at ${time}, if it goes on as in ${last(minutes)}.`;
      }
      if (state === 'growing') return `Not at this pace: in ${last(minutes)} more came to people than they decided.`;
      if (state === 'standing') return `Not within a week: in ${last(minutes)} about as much came as was decided.`;
      return `Not known: people made fewer than five decisions in the last hour. ${items(waiting)} wait.`;
    },
    unit: (flow: readonly Flow[]) =>
      flow
        .map(({ minutes, arrived, decided }) => `${minutes} min: ${count(arrived)} came, ${decisions(decided)}`)
        .join(' · '),
    line: (waiting: string, end: string) => `From ${waiting} waiting now to none at ${end}`,
    now: 'now',
    at: (ms: number, seconds: number) => (seconds < 12 * 3600 ? hourAndMinute : dayAndTime).format(ms),
  },

  head: {
    waiting: 'waiting',
    escalated: (n: string) => `${n} escalated`,
    held: 'in somebody’s hands',
    usual: (n: number) => `usual time per decision · n ${count(n)}`,
    unusual: 'usual time per decision · nobody decided in 24 h',
    stuckAfter: (seconds: number) => `stuck · longer than ${length(seconds)}`,
  },

  people: {
    heading: 'Who is on what?',
    answer: ({ holding, idle }: { holding: number; idle: number }) =>
      `${holding === 0 ? 'Nobody holds an item' : `${count(holding)} ${holding === 1 ? 'person holds' : 'people hold'} an item`}${idle === 0 ? '' : `, ${count(idle)} ${idle === 1 ? 'is' : 'are'} idle`}.`,
    unit: ({ stuck_after_seconds, idle_after_seconds }: TeamView) =>
      `stuck after ${length(stuck_after_seconds)} on one item · idle after ${length(idle_after_seconds)} without one · by how they stand, then by name`,
    columns: { person: 'Person', item: 'Holds', hour: 'Last hour', last: 'Last decision', usual: 'Usual time' },
    nobodyElse: 'Nobody but you is in the pool: add people to share the work.',
    toPeople: 'Add people',
    more: (n: number) => `${items(n)} more are held and not listed.`,
    memberStatus: {
      stuck: 'stuck',
      holding: 'on it',
      working: 'at work',
      idle: 'idle',
      away: 'away',
    } satisfies Record<MemberStatus, string>,
    roles: { reviewer: 'reviewer', supervisor: 'supervisor', owner: 'owner' },
    nothing: {
      stuck: '',
      holding: '',
      working: 'between two items',
      idle: 'nothing',
      away: 'nothing',
    } satisfies Record<MemberStatus, string>,
    held: (time: string, until: string) => `${time} · lease until ${until}`,
    bar: (name: string, time: string, line: string) => `${name} has held it for ${time}; stuck after ${line}`,
    none: 'none in 24 h',
  },
};
