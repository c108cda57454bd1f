// Texts of archived and deleted projects outside of the danger tab: the banner, restoring, and the list of projects.
import { count } from '#lib/format/format.ts';
import type { Sentence } from '#lib/messages/sentence.ts';

export const lifecycleMessages = {
  restore: {
    heading: 'Restore the project',
    text: 'This project is archived. After you restore it, it accepts items again and its items return to the queue.',
    button: 'Restore',
    failed: 'The project was not restored',
    done: 'The project is restored.',
  },

  banner: {
    label: 'Archived project',
    archived: 'Archived',
    text: 'Read-only: it accepts no items and nothing can be claimed. Decisions already made are still delivered.',
  },

  list: {
    heading: (n: number) => `Archived projects (${count(n)})`,
    failed: 'The archived projects could not be loaded',
  },

  gone: 'This project is no longer available',
  goneText: 'It was deleted, or you are no longer a member.',
  deleted: (name: string): Sentence => ['“', name, '” is deleted.'],
} as const;
