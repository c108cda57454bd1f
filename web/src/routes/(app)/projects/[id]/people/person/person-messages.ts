// Texts of the page of a person: their pace, overrides, audits, days and hours in one project.
import { count, length, share, UNKNOWN } from '#lib/format/format.ts';

const LEVEL = share(0.95, 1);

/** A median as text. */
const lengthOf = (seconds: number | null): string => (seconds === null ? UNKNOWN : length(seconds));

export const personMessages = {
  back: 'All members',
  loading: 'Loading the figures of this person',
  failed: "Couldn't load the figures of this person",
  missing: 'Not a member of this project',
  missingText: 'They may have left it. What they decided stays counted in analytics.',
  forbidden: 'You see your own figures only',
  forbiddenText: 'Supervisors and owners see those of every member.',
  you: 'you',
  roles: { reviewer: 'Reviewer', supervisor: 'Supervisor', owner: 'Owner' },
  holding: (n: number) => (n === 0 ? 'holds no item' : n === 1 ? 'holds 1 item' : `holds ${count(n)} items`),
  window: (window: string, zone: string) => `${window}, ${zone}`,
  figures: 'Figures of the last 30 days',

  decided: {
    name: 'Decided',
    value: (n: number) => count(n),
    detail: (perDay: string, days: number) =>
      days === 0
        ? 'no decision in this time'
        : `${perDay} a day on ${days === 1 ? '1 day' : `${count(days)} days`} with decisions`,
    more: (moved: number, claimed: number) => `${count(claimed)} claimed · ${count(moved)} escalated or returned`,
  },
  overrides: {
    name: 'Changed or rejected',
    interval: (low: string, high: string, n: string) => `${LEVEL}: ${low} to ${high} · n ${n}`,
    none: 'no decision yet',
  },
  pace: {
    name: 'Time per decision',
    value: lengthOf,
    detail: (n: number) => (n === 0 ? 'no decision took a second or more' : `median of the newest ${count(n)}`),
  },
  audits: {
    name: 'Agreement with audits',
    none: 'judged no audit in this time',
    what: 'Agreement with audits: of the auto-approved items they reviewed without knowing it, how many they approved too.',
  },
  overturned: {
    name: 'Overturned',
    detail: 'decisions a supervisor found wrong after a report',
  },
  team: (value: string) => `all members: ${value}`,

  days: {
    question: 'When did they decide?',
    answer: (n: number, first: string) => `${count(n)} decisions, the most on ${first}.`,
    unit: 'decisions per day; at the foot those that changed or rejected the suggestion',
    empty: 'No decision in the last 30 days.',
    plot: 'Decisions per day; use the arrow keys to read one day at a time',
    read: (day: string, n: string, overridden: string) => `${day}: ${n} decided, ${overridden} changed or rejected`,
    columns: { day: 'day', decided: 'decided', overridden: 'changed or rejected' },
    file: 'days',
  },
  hours: {
    question: 'At which hours?',
    answer: (from: string, to: string) => `Most between ${from} and ${to}.`,
    unit: (zone: string) => `decisions by hour of the day · ${zone}`,
    plot: 'Decisions by hour of the day; use the arrow keys to read one hour at a time',
    read: (hour: string, n: string) => `${hour}: ${n} decided`,
    columns: { hour: 'hour', decided: 'decided' },
    file: 'hours',
  },
};
