// Texts of the preview of an item: what reviewers would see of a submission, and what would become of it.
import { plural } from '#lib/format/format.ts';
import type { ItemStatus } from '@countersign/shared/enums';

export const previewMessages = {
  heading: 'Preview an item',
  lead: 'Paste the JSON that your pipeline sends to POST /api/public/items, or a plain text as the suggestion. You see the item as reviewers would, and what would happen to it by the present settings. Nothing is submitted or stored.',
  editor: 'Item as JSON, or plain text',
  fromText:
    'The text is not JSON. It is previewed as the suggestion of an item without input, with a confidence of 0.5.',
  shapes: 'Shapes that read well',
  run: 'Preview',
  result: 'What reviewers see',
  empty: 'No preview yet',
  emptyText: 'Paste an item or choose a shape, then press Preview.',
  failed: 'The preview failed',
  stale: 'The item has changed since this preview. Press Preview again.',
  faults: (n: number) => `This item would be refused: ${plural(n, 'fault', 'faults')}`,
  show: (place: string) => `Go to ${place}`,
  form: 'Form for the answer',
  pictures: 'Pictures and documents at URLs are fetched for stored items only; here they are shown as links.',

  becomes: {
    queued: 'It would wait in the queue.',
    escalated: 'It would be escalated to supervisors.',
    rejected: 'It would be rejected automatically, and no one would review it.',
    auto_approved: 'It would be approved automatically, and no one would review it.',
  } as Partial<Record<ItemStatus, string>>,
  by: (rule: string, id: string) => `${rule} (${id}).`,
};
