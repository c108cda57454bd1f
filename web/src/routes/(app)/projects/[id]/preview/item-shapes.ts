// Items whose shapes reviewers read well: each fills the editor of the preview.
import { printJson } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';

/** A drawing of a parcel on a table. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAUAAAADIAgMAAADkatA4AAAADFBMVEWydEDWxKDivHjs8PSNg12/AAAAZklEQVR42u3MsREAEBAAwe9AdfpRjxrNEH4gMyL2sks25uUCCAQCgUAgEAgEAoFAIBAI/BAckfXecgoQCAQCgUAgEAgEAoFAIBAIBAKBQCAQCHwWPCrq5YBAIBAIBAKBQCAQCATuLRmiF4bQTgLtAAAAAElFTkSuQmCC';

interface Shape {
  readonly name: string;
  readonly item: Json;
}

const SHAPES: readonly Shape[] = [
  {
    name: 'Question and answer',
    item: {
      input: { question: 'Can I return the shoes after 30 days?', order: 'A-1009' },
      suggestion: 'Yes. Unworn shoes can be returned within 60 days, and we pay the label.',
      confidence: 0.72,
      title: 'Return after 30 days',
    },
  },
  {
    name: 'Conversation',
    item: {
      input: {
        messages: [
          { role: 'user', content: 'My parcel says delivered, but it is not here.' },
          { role: 'assistant', content: 'I am sorry. Is it with a neighbour?' },
          { role: 'user', content: 'No. I asked all of them.' },
        ],
      },
      suggestion: 'I have opened a search with the carrier. You hear from us by **Friday**, or we send a new one.',
      confidence: 0.64,
    },
  },
  {
    name: 'Table',
    item: {
      input: { task: 'Read the lines of invoice 2026-118.' },
      suggestion: [
        { article: 'Table lamp', quantity: 2, unit_price: 39.9, total: 79.8 },
        { article: 'Bulb E27', quantity: 4, unit_price: 4.5, total: 18.0 },
        { article: 'Delivery', quantity: 1, unit_price: 6.9, total: 6.9 },
      ],
      confidence: 0.81,
    },
  },
  {
    name: 'Fields by a schema',
    item: {
      input: { text: 'Please refund 12.50 EUR to the card, the second pair was damaged.' },
      suggestion: { amount: 12.5, currency: 'EUR', reason: 'damaged' },
      answer_schema: {
        type: 'object',
        required: ['amount', 'currency'],
        properties: {
          amount: { title: 'Amount', type: 'number', exclusiveMinimum: 0 },
          currency: { title: 'Currency', enum: ['EUR', 'USD'] },
          reason: { title: 'Reason', type: 'string' },
        },
      },
      confidence: 0.9,
    },
  },
  {
    name: 'Code',
    item: {
      input: { task: 'Write a query for the ten oldest open orders.' },
      suggestion:
        "```sql\nselect id, customer, opened_at\nfrom orders\nwhere status = 'open'\norder by opened_at\nlimit 10;\n```",
      confidence: 0.77,
    },
  },
  {
    name: 'Picture',
    item: {
      input: { image: PICTURE, question: 'What is on the table?' },
      suggestion: { object: 'parcel', count: 1, damaged: false },
      confidence: 0.68,
    },
  },
  {
    name: 'Tool call',
    item: {
      kind: 'tool_call',
      title: 'Refund 40 EUR for order A-1009',
      input: { conversation: 'Please refund my order A-1009, the lamp arrived broken.' },
      suggestion: { name: 'refund_order', arguments: { order: 'A-1009', amount: 40, currency: 'EUR' } },
      confidence: 0.95,
    },
  },
];

/** The shapes with their items as JSON text. */
export const itemShapes = SHAPES.map(({ name, item }) => ({ name, text: printJson(item) }));
