// The contents a reviewer meets, each as the input and the suggestion of one item: data for tests and for looking at.
import type { Json } from '@countersign/shared/json/json';
import { png } from './media/hostile-media.fixture.ts';
import { pdfData } from './media/pdf/pdf.fixture.ts';

interface Content {
  readonly input: Json;
  readonly suggestion: Json;
}

/** A parcel on a dotted ground, with a dark dent. */
const parcel = png(720, 480, (x, y) => {
  if ((x - 560) ** 2 + (y - 330) ** 2 < 1600) return false;
  const inside = x > 120 && x < 660 && y > 90 && y < 420;
  return inside ? (x - 390) ** 2 > 100 && (y - 255) ** 2 > 16 : x % 12 < 2 && y % 12 < 2;
});

const letter = [
  'Dear Ms Ito,',
  'the lamp of your order A-1042 was broken when',
  'it was delivered. We refund 59.90 EUR.',
];

const turns: Json[] = Array.from({ length: 30 }, (_, at): Json => {
  if (at % 10 === 7)
    return {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${at}`,
          type: 'function',
          function: { name: 'find_order', arguments: '{"order":"A-1042","lines":true}' },
        },
      ],
    };
  if (at % 10 === 8) return { role: 'tool', content: '{"order":"A-1042","state":"delivered","total":59.90}' };
  return at % 2 === 0
    ? { role: 'user', content: `Question ${at + 1}: where is my parcel, and what about the second one?` }
    : {
        role: 'assistant',
        content: `Answer ${at + 1}: it left the depot this morning.\n\nThe second one follows on **Friday**.`,
      };
});

const contract = Array.from({ length: 120 }, (_, at) => {
  const clause =
    'The supplier delivers the goods at the agreed place and time, and bears the risk until they are handed over. ';
  return `§ ${at + 1} Delivery and risk\n\n\n${clause.repeat(3)}`;
}).join('\n\n');

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov'];
const figures = (change: number): Json[] =>
  Array.from({ length: 12 }, (_, row) => ({
    region: `Region ${row + 1}`,
    ...Object.fromEntries(
      months.map((month, at) => [month, 1000 + row * 37 + at * 211 + (row === 3 && at === 4 ? change : 0)]),
    ),
  }));

const nested = (level: number): Json =>
  level === 0
    ? { label: 'dent', x: 40, confidence: 0.91 }
    : { level, note: `at level ${level}`, inner: nested(level - 1), more: [level, level + 1] };

const lines = (tax: number): Json => [
  { position: 1, text: 'Office chair', quantity: 4, price: 129.9, total: 519.6 },
  { position: 2, text: 'Floor lamp', quantity: 10, price: 24.5, total: 245 },
  { position: 3, text: 'Delivery', quantity: 1, price: tax, total: tax },
];

export const CONTENTS: Readonly<Record<string, Content>> = {
  'chat of 30 turns': { input: turns, suggestion: 'It is with the courier, and reaches you today before 18:00.' },
  'contract of 40 kB': { input: contract, suggestion: { parties: 2, term: '24 months', notice: 'three months' } },
  'table of 12 columns': { input: figures(0), suggestion: figures(250) },
  'tree of six levels': { input: { photo: 'p-17' }, suggestion: nested(6) },
  invoice: {
    input: { scan: 'Chair 4 x 129.90\nLamp 10 x 24.50\nDelivery 15.00', lines: lines(15) },
    suggestion: {
      number: 'R-2026-118',
      vendor: { name: 'Kontor GmbH', city: 'Bremen' },
      lines: lines(19),
      total: 783.6,
    },
  },
  Markdown: {
    input: 'How do I read the area of a circle?',
    suggestion:
      '# Area of a circle\n\nThe area is $A = \\pi r^2$, so for $r = 3$:\n\n$$\nA = \\pi \\cdot 3^2 \\approx 28.27\n$$\n\n- measure **twice**\n- see [the manual](https://manual.example/area)\n\n```python\ndef area(r):\n    """The area."""\n    return 3.1416 * r ** 2  # about\n```\n\n| r | A |\n|---|---|\n| 1 | 3.14 |\n| 2 | 12.57 |',
  },
  diff: {
    input: 'Make the total exact.',
    suggestion:
      'diff --git a/src/total.ts b/src/total.ts\nindex 83db48f..bf269f4 100644\n--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,6 +1,7 @@\n export function total(lines: Line[]): number {\n-  let sum = 0;\n-  for (const line of lines) sum += line.price;\n+  let cents = 0;\n+  for (const line of lines) cents += Math.round(line.price * 100) * line.quantity;\n+  // A sum of cents is exact, and it is divided once, at the end, so that no rounding happens in between.\n+  const sum = cents / 100;\n   return sum;\n }\n-\n',
  },
  code: {
    input: 'Which customers have not ordered since May?',
    suggestion:
      "SELECT c.name, max(o.placed_at) AS last\nFROM customers c\nLEFT JOIN orders o ON o.customer_id = c.id -- also those without\nGROUP BY c.id\nHAVING max(o.placed_at) < '2026-05-01' OR count(o.id) = 0;",
  },
  'picture with boxes': {
    input: { question: 'Is the parcel damaged?', photo: parcel },
    suggestion: {
      damaged: true,
      findings: [
        { label: 'dent in the lower corner', box: [520, 290, 80, 80] },
        { label: 'torn tape across the lid', box: [380, 90, 20, 330] },
        { label: 'label missing', box: [600, 100, 110, 60] },
      ],
    },
  },
  'list of pictures': { input: 'Choose the photos to publish.', suggestion: [parcel, parcel] },
  PDF: {
    input: { letter: pdfData({ pages: [letter, ['Page 2', 'Kind regards']] }), question: 'How much is refunded?' },
    suggestion: { refund: 59.9, currency: 'EUR' },
  },
  links: {
    input: ['https://media.example/call.mp3', 'https://media.example/scan.pdf', 'https://media.example/photo.jpg'],
    suggestion: 'The caller asks for a copy of the bill.',
  },
  Arabic: {
    input: { سؤال: 'متى يصل طلبي رقم A-1042؟' },
    suggestion: 'يصل طلبك يوم الجمعة.\nThe tracking number is A-1042.\nيمكنك متابعته هنا: https://track.example/A-1042',
  },
  Japanese: {
    input: '注文した商品はいつ届きますか。',
    suggestion:
      'ご注文の商品は金曜日にお届けする予定です。追跡番号はA-1042です。\n\nご不明な点がございましたら、お気軽にお問い合わせください。',
  },
  'HTML mail': {
    input: 'Write to the customer that the refund is on its way.',
    suggestion:
      '<!doctype html>\n<html><body>\n<!-- internal: do not mention the delay -->\n<table width="100%" bgcolor="#f4f6f8"><tr><td style="padding:16px;font-family:Georgia">\n<h2 style="color:#0b6">Your refund</h2>\n<p>Dear Ms Ito,</p>\n<p>we have sent <b>59.90 EUR</b> back to your card. See <a href="https://shop.example/refunds/88">your refund</a>.</p>\n<img src="https://shop.example/logo.png" width="80" alt="Shop">\n</td></tr></table>\n</body></html>',
  },
  'tool call': {
    input: { customer: 'Ito', order: 'A-1042', total: 59.9 },
    suggestion: {
      name: 'issue_refund',
      arguments: { order: 'A-1042', amount: 599, currency: 'EUR', notify: true, lines: [{ sku: 'X1', quantity: 2 }] },
    },
  },
  'cited answer': {
    input: {
      question: 'How long may I return goods?',
      documents: [
        { id: 'doc-1', text: 'Goods may be returned within 30 days of delivery, unused and in their box.' },
        { id: 'doc-2', text: 'Refunds are paid within five working days.' },
      ],
    },
    suggestion: {
      answer:
        'You may return goods within 30 days [doc-1], and the money is back after five working days [doc-2]. Shipping is free [doc-9].',
      citations: [
        { id: 'doc-1', quote: 'returned within 30 days of delivery' },
        { id: 'doc-2', quote: 'paid within three working days' },
      ],
    },
  },
  labels: {
    input: 'The box was wet and the lamp is broken.',
    suggestion: { label: 'damaged goods', priority: 'high', confidence: 0.87, tags: ['water', 'glass'] },
  },
  'hidden characters': {
    input: 'Please pay the invoice.',
    suggestion: 'Pay to account 12\u202e34 now\u200b.\nplain\u{e0069}\u{e0067}\u{e006e}',
  },
};
