// Texts of archiving and deleting a project.
import type { ProjectContents } from '@countersign/shared/schemas/lifecycle';
import { count } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

const many = (n: number, one: string, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

/** `a, b and c`; empty for an empty list. */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

const some = (parts: readonly [number, string][]) => parts.flatMap(([n, text]) => (n === 0 ? [] : [text]));

export const dangerMessages = {
  contentsFailed: 'The contents of the project could not be counted',
  counting: 'Counting the contents of the project …',

  archive: {
    heading: 'Archive the project',
    text: 'An archived project is read-only until an owner restores it. Nothing is deleted.',
    effects: [
      'API keys and sources stop accepting items. Keys can still read what was submitted.',
      'Claims are released and no item can be claimed. Waiting items stay in the queue.',
      'Decisions already made become final, and their webhooks are delivered.',
      'Rules, keys and people stay the same. Members can still be removed and keys revoked.',
    ],
    waiting: (n: number) =>
      n === 0
        ? 'No items are waiting for review.'
        : `${many(n, 'item')} waiting for review ${n === 1 ? 'stays' : 'stay'} in the queue.`,
    button: 'Archive the project',
    title: (name: string): Sentence => ['Archive “', name, '”?'],
    question: 'Its items leave the queue immediately. An owner can restore the project at any time.',
    confirmLabel: 'Archive',
    failed: 'The project was not archived',
    done: 'The project is archived.',
  },

  remove: {
    heading: 'Delete the project',
    text: 'This is permanent. A deleted project cannot be recovered.',
    effects: [
      'All members lose access immediately.',
      'Its keys, sources and invites stop working, and open requests are closed.',
      'Undelivered decisions are discarded.',
    ],
    contents: 'Contains',
    button: 'Delete the project …',
    title: (name: string): Sentence => ['Delete “', name, '”?'],
    question: 'This cannot be undone.',
    label: 'Type the project name',
    hint: (name: string) => `Exactly: ${name}`,
    confirmLabel: 'Delete permanently',
    failed: 'The project was not deleted',
  },
} as const;

/** The contents of a project, a line for each kind; missing kinds are omitted. */
export function contentLines(contents: ProjectContents): string[] {
  const { items, waiting, decisions, provisional, learnings, undelivered } = contents;
  const work = some([
    [items, `${many(items, 'item')}${waiting > 0 ? `, ${count(waiting)} waiting for review` : ''}`],
    [decisions, many(decisions, 'decision')],
    [learnings, many(learnings, 'learning')],
  ]);
  const unsent = some([
    [provisional, `${many(provisional, 'decision')} not final yet`],
    [undelivered, `${many(undelivered, 'delivery', 'deliveries')} not delivered yet`],
  ]);
  const access = some([
    [contents.members, many(contents.members, 'member')],
    [contents.api_keys, many(contents.api_keys, 'API key')],
    [contents.inbound_sources, many(contents.inbound_sources, 'source')],
    [contents.invites, many(contents.invites, 'open invite')],
  ]);
  return [work, unsent.length > 0 ? [`${listed(unsent)}: will be discarded`] : [], access].map(listed).filter(Boolean);
}
