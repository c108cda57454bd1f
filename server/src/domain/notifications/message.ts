// Rule NO3: the body of a reminder for Slack, Teams and our own webhook: counts, the project's name and a link.
import type { NotificationKind } from '@countersign/shared/enums';
import type { ProjectAttention } from '@countersign/shared/schemas/parts/webhook-events';
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

const LINK_TEXT = 'Open in Countersign';
/** The longest text of a header in Block Kit. */
const HEADER_LENGTH = 150;

/** Slack reads `text` as mrkdwn, so that a name could notify a channel or show a link to elsewhere. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** Block Kit, for an incoming webhook. The name is plain text, in which nothing is formatted. */
function slack({ name, link, findings }: Reminder) {
  const sentences = findings.map(sentenceOf);
  return {
    text: escaped(`${name}: ${sentences.join(' ')}`),
    blocks: [
      { type: 'header', text: plain(name.slice(0, HEADER_LENGTH)) },
      { type: 'section', text: plain(sentences.join('\n')) },
      { type: 'section', text: { type: 'mrkdwn', text: `<${link}|${LINK_TEXT}>` } },
    ],
  };
}

/** A text run is not read as Markdown, unlike a text block. */
const runs = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

/** An Adaptive Card in the envelope of a message, for a Teams workflow that posts to a channel. */
function teams({ name, link, findings }: Reminder) {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            runs(name, { weight: 'Bolder', size: 'Medium' }),
            ...findings.map((finding) => runs(sentenceOf(finding))),
          ],
          actions: [{ type: 'Action.OpenUrl', title: LINK_TEXT, url: link }],
        },
      },
    ],
  };
}

/** Our own event, signed like a delivery. */
function webhook({ projectId, name, link, findings, at }: Reminder): ProjectAttention {
  return {
    event: 'project.attention',
    project_id: projectId,
    project_name: name,
    url: link,
    findings: findings.map((finding) => ({ ...finding, text: sentenceOf(finding) })),
    sent_at: at.toISOString(),
  };
}

const BODIES = { slack, teams, webhook } as const satisfies Record<NotificationKind, (reminder: Reminder) => object>;

/** NO3: the body as JSON text. */
export const reminderBody = (kind: NotificationKind, reminder: Reminder): string =>
  JSON.stringify(BODIES[kind](reminder));
