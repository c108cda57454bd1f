// Every string of the stop switch: its buttons, what it asks first, and the banner on every page of a stopped project.
import type { TeamView } from '@countersign/shared/api/team';
import type { ProjectStop } from '@countersign/shared/api/projects';
import { count, exactMoment, share } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

const DAY_MS = 86_400_000;
const hourAndMinute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Since when, as short as it is clear: the time of day, and the date with it when that was a day ago or more. */
const since = (iso: string, now: number): string =>
  now - Date.parse(iso) < DAY_MS ? hourAndMinute.format(new Date(iso)) : exactMoment(iso);

export const stopMessages = {
  banner: {
    label: 'Stopped projects',
    /** The project's name, then this. */
    stopped: 'is stopped.',
    all: (stop: ProjectStop, now: number): Sentence =>
      stop.by_name === null
        ? ['', `Everything goes to people since ${since(stop.at, now)}.`, '']
        : [`Everything goes to people since ${since(stop.at, now)}, stopped by `, stop.by_name, '.'],
    note: (note: string): Sentence => ['“', note, '”'],
  },

  stop: {
    button: 'Send all to people …',
    title: (name: string): Sentence => ['Send everything in “', name, '” to people?'],
    description: 'Nothing passes or is rejected by itself any more, until somebody releases it. It holds at once.',
    note: 'Why (shown to everybody in the project)',
    confirmLabel: 'Stop',
    failed: 'The project was not stopped',
    palette: 'Send all to people: ',
  },
  release: {
    button: 'Release …',
    title: (name: string): Sentence => ['Let “', name, '” decide by itself again?'],
    description: 'From the next submission on, the rules decide again. What waits now goes on waiting.',
    confirmLabel: 'Release',
    failed: 'The project was not released',
    palette: 'Release the stop: ',
  },

  counting: 'Counting what passed in the last hour …',
  uncounted: 'What passed in the last hour could not be counted.',
  quiet: 'Nothing arrived in the last hour.',
  /** What happened without people in the last hour. */
  alone: ({ arrived, approved, rejected }: TeamView['automatic_last_hour']) =>
    `In the last hour ${count(approved)} of ${count(arrived)} submissions (${share(approved, arrived)}) passed alone and ${count(rejected)} ${rejected === 1 ? 'was' : 'were'} rejected alone.`,
  more: (perHour: number, waiting: number) =>
    perHour === 0
      ? `So nothing more would come to people; ${count(waiting)} wait now.`
      : `At that rate ${count(perHour)} more an hour would come to people; ${count(waiting)} wait now.`,
  waiting: (waiting: number) => `${count(waiting)} wait for people now.`,
};
