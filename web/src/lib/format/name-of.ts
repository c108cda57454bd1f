// What every list calls an item.
import { queueMessages } from '../messages/queue-messages.ts';

/** The title that its pipeline gave it, else the beginning of its input. Never empty. */
export const nameOf = ({ title, preview }: { readonly title: string | null; readonly preview: string }): string =>
  title ?? (preview.trim() === '' ? queueMessages.item.noPreview : preview);
