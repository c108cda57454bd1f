// Texts of the stop switch: its buttons, its confirmation, and the banner on every page of a stopped project.
import type { TeamView } from '@countersign/shared/schemas/team';
import type { ProjectStop } from '@countersign/shared/schemas/projects';
import type { BelowReview } from '@countersign/shared/enums';
import { stopWouldAdd } from '@countersign/shared/figures';
import { confidence, count, exactMoment, hourAndMinute, share } from '#lib/format/format.ts';
import { isToday } from '#lib/format/when.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

/** Since when, in short: the time of day, and the whole date with it when that was on another day. */
const since = (iso: string, now: number): string =>
  isToday(iso, now) ? hourAndMinute(Date.parse(iso)) : exactMoment(iso);

interface Normal {
  auto_threshold: number | null;
  review_threshold: number | null;
  below_review: BelowReview;
}

export const stopMessages = {
  /** RT7, wherever a page says what happens to the items of a stopped project. */
  everything: 'Every new item goes to human review.',
  /** What routing would decide alone; '' where that is hidden from the user (AU3). */
  normal: ({ auto_threshold: auto, review_threshold: review, below_review: below }: Normal): string => {
    if (auto === null || review === null) return '';
    const rejects = below === 'reject' && review > 0 ? `, and below ${confidence(review)} is auto-rejected` : '';
    return `Normally ${confidence(auto)} and above is auto-approved${rejects}.`;
  },

  banner: {
    label: 'Projects on manual review',
    /** The project's name precedes this text. */
    stopped: 'is on manual review.',
    all: (stop: ProjectStop, now: number): Sentence =>
      stop.by_name === null
        ? ['', `Since ${since(stop.at, now)}. ${stopMessages.everything}`, '']
        : [`Since ${since(stop.at, now)}, turned on by `, stop.by_name, `. ${stopMessages.everything}`],
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
  /** What routing decided alone in the last hour (AN34). */
  alone: ({ arrived, approved, rejected, audited }: TeamView['automatic_last_hour']) =>
    `In the last hour, ${count(approved)} of ${count(arrived)} items (${share(approved, arrived)}) ${approved === 1 ? 'was' : 'were'} auto-approved${audited === 0 ? '' : ` (${count(audited)} sent to an audit)`} and ${rejected === 0 ? 'none' : count(rejected)} auto-rejected.`,
  more: (alone: TeamView['automatic_last_hour'], waiting: number) => moreReviews(stopWouldAdd(alone), waiting),
  waiting: (waiting: number) => `${count(waiting)} ${waiting === 1 ? 'item is' : 'items are'} waiting for review.`,
};

function moreReviews(perHour: number, waiting: number): string {
  if (perHour === 0) return `That adds no extra reviews to the ${count(waiting)} waiting.`;
  return `That's about ${count(perHour)} extra ${perHour === 1 ? 'review' : 'reviews'} per hour, on top of ${count(waiting)} waiting.`;
}
