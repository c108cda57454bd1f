// Every string of archiving, restoring and deleting a project: the danger tab, the archived project's banner and their list.
import type { ProjectContents } from '@countersign/shared/api/lifecycle';
import { count } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

const many = (n: number, one: string, more = `${one}s`) => `${count(n)} ${n === 1 ? one : more}`;

/** `a, b and c`; nothing of nothing. */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

const some = (parts: readonly [number, string][]) => parts.flatMap(([n, text]) => (n === 0 ? [] : [text]));

export const dangerMessages = {
  contentsFailed: 'What is in the project could not be counted',
  counting: 'Counting what is in the project …',

  archive: {
    heading: 'Archive the project',
    text: 'For a project that has done its work for now. Everything in it is kept and can be read.',
    effects: [
      'Its keys and sources submit nothing any more; what was submitted can still be read by key.',
      'Nobody is handed an item, and whoever holds one gives it back now. Items that wait stay where they are.',
      'What is decided is finished: it becomes final and its webhooks go out.',
      'Rules, keys and people stay as they are until an owner restores it. Members can be removed, keys revoked.',
    ],
    waiting: (n: number) =>
      n === 0
        ? 'No item waits for people.'
        : `${many(n, 'item waits', 'items wait')} for people and will go on waiting.`,
    button: 'Archive the project',
    title: (name: string): Sentence => ['Archive “', name, '”?'],
    question: 'It leaves every queue at once. An owner can restore it at any time.',
    confirmLabel: 'Archive',
    failed: 'The project was not archived',
    done: 'The project is archived.',
  },

  restore: {
    heading: 'Restore the project',
    text: 'The project is archived. Restored, it takes submissions again and its items are back in the queues of its members.',
    button: 'Restore',
    failed: 'The project was not restored',
    done: 'The project is restored.',
  },

  remove: {
    heading: 'Delete the project',
    text: 'For good, and for everybody at once. Nobody can bring it back.',
    effects: [
      'All of its members lose it this moment; to everybody it is as if it had never been there.',
      'Its keys, sources and invites end, and requests that wait for an answer are let go.',
      'Nothing of it is sent any more, not even what is decided already.',
    ],
    contents: 'It holds',
    button: 'Delete the project …',
    title: (name: string): Sentence => ['Delete “', name, '”?'],
    question: 'This cannot be undone.',
    label: 'Type the name of the project',
    hint: (name: string) => `Exactly: ${name}`,
    confirmLabel: 'Delete for good',
    failed: 'The project was not deleted',
    done: (name: string): Sentence => ['“', name, '” is deleted.'],
  },

  gone: 'This project is gone',
  goneText: 'It was deleted, or you are not a member of it any more.',

  banner: {
    label: 'Archived project',
    archived: 'Archived',
    text: 'Nothing comes in and nothing is handed out; what is decided is finished.',
  },

  list: {
    heading: (n: number) => `Archived projects (${count(n)})`,
    failed: 'The archived projects could not be loaded',
  },
} as const;

/** What is in a project, a line for each kind of thing; what is not there is not named. */
export function contentLines(contents: ProjectContents): string[] {
  const { items, waiting, decisions, provisional, learnings, undelivered } = contents;
  const work = some([
    [items, `${many(items, 'item')}${waiting > 0 ? `, ${count(waiting)} of them waiting for people` : ''}`],
    [decisions, many(decisions, 'decision')],
    [learnings, many(learnings, 'learning')],
  ]);
  const unsent = some([
    [provisional, `${many(provisional, 'decision that is', 'decisions that are')} not final yet`],
    [undelivered, `${many(undelivered, 'delivery that has', 'deliveries that have')} not arrived yet`],
  ]);
  const access = some([
    [contents.members, many(contents.members, 'member')],
    [contents.api_keys, many(contents.api_keys, 'key')],
    [contents.inbound_sources, many(contents.inbound_sources, 'source')],
    [contents.invites, many(contents.invites, 'open invite')],
  ]);
  return [work, unsent.length > 0 ? [`${listed(unsent)}: never to be sent`] : [], access].map(listed).filter(Boolean);
}
