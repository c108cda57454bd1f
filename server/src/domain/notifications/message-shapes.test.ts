// NO3, by property: messages keep to the limits of Slack and Teams, and the name of a project adds no markup.
import { ENDPOINT_DESCRIPTION, MAX_ENDPOINTS } from '@countersign/shared/limits';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { COUNT_LIMIT, type Finding, sentenceOf } from './findings.ts';
import { reminderBody, sentencesIn, testBody } from './message.ts';

/** Text that both services store: a half of a surrogate pair is refused. */
const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((value) => value.isWellFormed());

/** Block Kit, as documented at docs.slack.dev/reference/block-kit: the blocks that are sent, with their limits. */
const plainText = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.boolean() });
const slackMessage = z.strictObject({
  text: text(40_000),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: plainText(150) }),
        z.strictObject({
          type: z.literal('section'),
          text: z.union([plainText(3000), z.strictObject({ type: z.literal('mrkdwn'), text: text(3000) })]),
        }),
      ]),
    )
    .min(1)
    .max(50),
});

/** An Adaptive Card 1.4, as documented at adaptivecards.io/explorer: the elements that are sent. */
const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: text(10_000),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
});
const teamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.4'),
        body: z.array(z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1) })).min(1),
        actions: z
          .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(100), url: z.url() }))
          .min(1)
          .max(6),
      }),
    }),
  ]),
});
const SHAPES = { slack: slackMessage, teams: teamsMessage } as const;

const RULES = [
  ...(['waiting_longer_than', 'queue_deeper_than', 'deadline_near', 'expired'] as const),
  ...(['project_stopped', 'webhook_paused', 'over_budget'] as const),
];
/** As names of projects are: trimmed, up to 100 characters, with anything in them, also what is markup somewhere. */
const MARKUP = ['<!channel>', '<@U1>', '<https://evil.example|x>', '[x](https://evil.example)', '*b*', '&lt;', '🙂'];
const name = fc
  .array(fc.oneof(fc.constantFrom(...MARKUP), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 120 })
  .map((parts) => parts.join('').trim())
  .filter((joined) => joined !== '');

const endpointName = name.map((text) => text.slice(0, ENDPOINT_DESCRIPTION).toWellFormed());

const findings: fc.Arbitrary<Finding[]> = fc.subarray(RULES, { minLength: 1 }).chain((rules) =>
  fc.tuple(
    ...rules.map((rule) =>
      fc.record({
        rule: fc.constant(rule),
        count: fc.integer({ min: 1, max: COUNT_LIMIT }),
        limit: fc.integer({ min: 1, max: 43_200 }),
        names: fc.array(endpointName, { maxLength: MAX_ENDPOINTS }),
      }),
    ),
  ),
);
const LINK = 'https://review.example/projects/0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
const common = { projectId: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11', link: LINK, at: new Date(0) };

it.each(['slack', 'teams'] as const)('%s: accepts every message and every test message', (kind) => {
  fc.assert(
    fc.property(name, findings, (called, found) => {
      const body = reminderBody(kind, { ...common, name: called, findings: found });
      SHAPES[kind].parse(JSON.parse(body));
      SHAPES[kind].parse(JSON.parse(testBody(kind, { ...common, name: called })));
      expect(sentencesIn(kind, body)).toEqual(found.map(sentenceOf));
    }),
    { examples: [[`${'n'.repeat(149)}🙂`, [{ rule: 'expired', count: 1, limit: null }]]] },
  );
});

it('Slack: a name adds no link and no mention where text is read as markup', () => {
  fc.assert(
    fc.property(name, findings, (called, found) => {
      const message = slackMessage.parse(
        JSON.parse(reminderBody('slack', { ...common, name: called, findings: found })),
      );
      expect(message.text).not.toMatch(/[<>]/);
      const marked = message.blocks.flatMap(({ text: shown }) => (shown.type === 'mrkdwn' ? [shown.text] : []));
      expect(marked).toEqual([`<${LINK}|Open in Countersign>`]);
    }),
  );
});
