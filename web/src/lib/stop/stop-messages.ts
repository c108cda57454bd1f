// Texts of the stop switch: its buttons, its confirmation, and the banner on every page of a stopped project.
import type { TeamView } from '@countersign/shared/schemas/team';
import type { ProjectStop } from '@countersign/shared/schemas/projects';
import { count, exactMoment, share } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

const DAY_MS = 86_400_000;
const hourAndMinute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Since when, in short: the time of day, and the date with it when that was a day ago or more. */
const since = (iso: string, now: number): string =>
  now - Date.parse(iso) < DAY_MS ? hourAndMinute.format(new Date(iso)) : exactMoment(iso);

export const stopMessages = {
  banner: {
    label: 'Projects on manual review',
    /** The project's name precedes this text. */
    stopped: 'is on manual review.',
    all: (stop: ProjectStop, now: number): Sentence =>
      stop.by_name === null
        ? ['', `Since ${since(stop.at, now)}, every new item goes to human review.`, '']
        : [`Since ${since(stop.at, now)}, every new item goes to human review (turned on by `, stop.by_name, ').'],
    note: (note: string): Sentence => ['“', note, '”'],
  },

  stop: {
    button: 'Turn on manual review…',
    title: (name: string): Sentence => ['Send everything in “', name, '” to manual review?'],
    description: 'No item is auto-approved or auto-rejected until this is turned off. Takes effect immediately.',
    note: 'Reason (shown to everyone in the project)',
    confirmLabel: 'Turn on',
    failed: "Couldn't turn on manual review",
    palette: 'Turn on manual review: ',
  },
  release: {
    button: 'Turn off…',
    title: (name: string): Sentence => ['Resume automatic decisions in “', name, '”?'],
    description: 'Applies to new items. Waiting items stay in the queue.',
    confirmLabel: 'Turn off',
    failed: "Couldn't turn off manual review",
    palette: 'Turn off manual review: ',
  },

  counting: 'Counting the last hour…',
  uncounted: "Couldn't count the automatic decisions of the last hour.",
  quiet: 'Nothing arrived in the last hour.',
  /** The items of the last hour that no person saw. */
  alone: ({ arrived, approved, rejected }: TeamView['automatic_last_hour']) =>
    `In the last hour, ${count(approved)} of ${count(arrived)} items (${share(approved, arrived)}) ${approved === 1 ? 'was' : 'were'} auto-approved and ${rejected === 0 ? 'none' : count(rejected)} auto-rejected.`,
  more: (perHour: number, waiting: number) =>
    perHour === 0
      ? `That adds no extra reviews to the ${count(waiting)} waiting.`
      : `That's about ${count(perHour)} extra ${perHour === 1 ? 'review' : 'reviews'} per hour, on top of ${count(waiting)} waiting.`,
  waiting: (waiting: number) => `${count(waiting)} ${waiting === 1 ? 'item is' : 'items are'} waiting for review.`,
};
