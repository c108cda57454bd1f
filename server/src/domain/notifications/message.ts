// Rule NO3: the body of a reminder for Slack, Teams and our own webhook: counts, the project's name and a link.
import type { NotificationKind } from '@countersign/shared/enums';
import type { ProjectAttention, WebhookTest } from '@countersign/shared/schemas/parts/webhook-events';
import { type Finding, sentenceOf } from './findings.ts';

export interface Reminder {
  projectId: string;
  /** The name of the project, which may contain anything. */
  name: string;
  /** Where to look, at our own address. */
  link: string;
  /** At least one. */
  findings: readonly Finding[];
  at: Date;
}

/** What Slack and Teams show. */
interface Said extends Pick<Reminder, 'name' | 'link'> {
  sentences: readonly string[];
}

/** Where a reminder leads to: the page of the project at our own address. */
export const projectLink = (baseUrl: string, projectId: string): string => `${baseUrl}/projects/${projectId}`;

const LINK_TEXT = 'Open in Countersign';
/** The longest text of a header in Block Kit. */
const HEADER_LENGTH = 150;

/** Slack reads `text` as mrkdwn, so that a name could notify a channel or show a link to elsewhere. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Cut to fit a header, and never within a character. */
function shortened(name: string): string {
  const cut = name.slice(0, HEADER_LENGTH);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** Block Kit, for an incoming webhook. The name is plain text, in which nothing is formatted. */
function slack({ name, link, sentences }: Said) {
  return {
    text: escaped(`${name}: ${sentences.join(' ')}`),
    // The order is that of `sentencesIn`.
    blocks: [
      { type: 'header', text: plain(shortened(name)) },
      { type: 'section', text: plain(sentences.join('\n')) },
      { type: 'section', text: { type: 'mrkdwn', text: `<${link}|${LINK_TEXT}>` } },
    ],
  } as const;
}

/** A text run is not read as Markdown, unlike a text block. */
const runs = (text: string, style: object = {}) =>
  ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] }) as const;

/** An Adaptive Card in the envelope of a message, for a Teams workflow that posts to a channel. */
function teams({ name, link, sentences }: Said) {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [runs(name, { weight: 'Bolder', size: 'Medium' }), ...sentences.map((sentence) => runs(sentence))],
          actions: [{ type: 'Action.OpenUrl', title: LINK_TEXT, url: link }],
        },
      },
    ],
  } as const;
}

/** Our own event, signed like a delivery. */
function webhook({ projectId, name, link, findings, at }: Reminder): ProjectAttention {
  return {
    event: 'project.attention',
    project_id: projectId,
    project_name: name,
    url: link,
    findings: findings.map((finding) => {
      const { rule, count, limit } = finding;
      return { rule, count, limit, text: sentenceOf(finding) };
    }),
    sent_at: at.toISOString(),
  };
}

const CHATS = { slack, teams } as const;

/** NO3: the body as JSON text. */
export function reminderBody(kind: NotificationKind, reminder: Reminder): string {
  if (kind === 'webhook') return JSON.stringify(webhook(reminder));
  return JSON.stringify(CHATS[kind]({ ...reminder, sentences: reminder.findings.map(sentenceOf) }));
}

const TEST_SENTENCE = 'This is a test. Reminders of this project arrive here.';

/** NO6: the body of a test message; our own receivers get the documented test event. */
export function testBody(kind: NotificationKind, { projectId, name, link, at }: Omit<Reminder, 'findings'>): string {
  const event: WebhookTest = { event: 'webhook.test', project_id: projectId, sent_at: at.toISOString() };
  return JSON.stringify(kind === 'webhook' ? event : CHATS[kind]({ name, link, sentences: [TEST_SENTENCE] }));
}

/** What a stored body says, for its list: the sentences without the name. */
export function sentencesIn(kind: NotificationKind, body: string): string[] {
  const message: unknown = JSON.parse(body);
  if (kind === 'webhook') return (message as ProjectAttention).findings.map(({ text }) => text);
  if (kind === 'slack') return (message as ReturnType<typeof slack>).blocks[1].text.text.split('\n');
  const [{ content }] = (message as ReturnType<typeof teams>).attachments;
  return content.body.slice(1).map(({ inlines: [{ text }] }) => text);
}
