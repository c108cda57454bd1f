// NO3: the shapes for Slack, Teams and our own webhook; a project's name stays text in each of them.
import { projectAttention } from '@countersign/shared/schemas/parts/webhook-events';
import { describe, expect, it } from 'vitest';
import { reminderBody, type Reminder } from './message.ts';

const REMINDER: Reminder = {
  projectId: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  name: 'Support',
  link: 'https://review.example/projects/0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  findings: [
    { rule: 'waiting_longer_than', count: 1000, limit: 30 },
    { rule: 'project_stopped', count: null, limit: null },
  ],
  at: new Date('2026-03-02T09:50:00.000Z'),
};
const HOSTILE = '<!channel> & <https://evil.example|click> [x](https://evil.example) *b*';
const bodyOf = (kind: Parameters<typeof reminderBody>[0], changes: Partial<Reminder> = {}): unknown =>
  JSON.parse(reminderBody(kind, { ...REMINDER, ...changes }));

describe('Slack', () => {
  it('gets a text for notifications, and blocks', () => {
    expect(bodyOf('slack')).toEqual({
      text: 'Support: 1,000 items have waited longer than 30 minutes. Manual review is on: every new item goes to a reviewer.',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Support', emoji: false } },
        {
          type: 'section',
          text: {
            type: 'plain_text',
            text: '1,000 items have waited longer than 30 minutes.\nManual review is on: every new item goes to a reviewer.',
            emoji: false,
          },
        },
        { type: 'section', text: { type: 'mrkdwn', text: `<${REMINDER.link}|Open in Countersign>` } },
      ],
    });
  });

  it('shows a name as it is, without links and mentions, and shortens it for the header', () => {
    const slackOf = (name: string) =>
      bodyOf('slack', { name }) as { text: string; blocks: { text: { text: string } }[] };
    const { text, blocks } = slackOf(HOSTILE);
    expect(text).not.toMatch(/[<>]/);
    expect(text).toContain('&lt;!channel&gt; &amp; ');
    expect(blocks[0]).toMatchObject({ text: { type: 'plain_text', text: HOSTILE } });
    expect(slackOf('n'.repeat(500)).blocks[0]?.text.text).toHaveLength(150);
  });
});

describe('Teams', () => {
  it('gets an Adaptive Card in a message, whose texts are not read as Markdown', () => {
    const run = (text: string, style = {}) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text, ...style }],
    });
    expect(bodyOf('teams', { name: HOSTILE })).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              run(HOSTILE, { weight: 'Bolder', size: 'Medium' }),
              run('1,000 items have waited longer than 30 minutes.'),
              run('Manual review is on: every new item goes to a reviewer.'),
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Open in Countersign', url: REMINDER.link }],
          },
        },
      ],
    });
  });
});

it('our own webhook gets the documented event', () => {
  const body = bodyOf('webhook');
  expect(projectAttention.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({ event: 'project.attention', findings: [{ count: 1000, limit: 30 }, { count: null }] });
});
