// The parts of the page in reading order, for the contents and the anchors of URLs.
import type { Shown } from './document.ts';
import { GUIDE } from './guide.ts';
import { messages } from '../messages.ts';

export interface Part {
  /** The anchor. */
  id: string;
  title: string;
  /** The title is code: a method and a path, an event. */
  mono: boolean;
  parts: Part[];
}

export const GUIDE_ID = 'how-it-works';
export const GUIDE_TITLE = 'How it works';
/** All paths begin with it, so the contents omit it. */
const PREFIX = '/api/public';

/** The anchor of a group of operations. */
export const tagId = (name: string): string => `tag-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;

/** All anchors of the page. */
export function partsOf(shown: Shown): Part[] {
  const leaf = ({ id, title }: { id: string; title: string }): Part => ({ id, title, mono: false, parts: [] });
  const code = (id: string, title: string): Part => ({ ...leaf({ id, title }), mono: true });
  return [
    leaf({ id: messages.start.id, title: messages.start.nav }),
    { ...leaf({ id: GUIDE_ID, title: GUIDE_TITLE }), parts: GUIDE.map(leaf) },
    ...shown.tags.map(({ name, operations }) => ({
      ...leaf({ id: tagId(name), title: name }),
      parts: operations.map(({ id, method, path }) => code(id, `${method} ${path.replace(PREFIX, '')}`)),
    })),
    {
      ...leaf({ id: messages.webhook.id, title: messages.webhook.nav }),
      parts: [
        ...shown.webhooks.map(({ id, path }) => code(id, path)),
        leaf({ id: 'verify', title: messages.webhook.verify }),
      ],
    },
    leaf({ id: messages.errors.id, title: messages.errors.nav }),
  ];
}
