// The headings of the rules tab by their anchors: addresses and the palette lead to them.
import { settingsMessages } from '../settings/settings-messages.ts';
import { retentionMessages } from './retention-messages.ts';
import { skillsMessages } from './skills/skills-messages.ts';

const { rules } = settingsMessages;

export const RULE_HEADINGS = {
  flags: rules.flags,
  audit: rules.audit,
  skills: skillsMessages.heading,
  time: rules.time,
  content: rules.content,
  keeping: retentionMessages.heading,
  project: rules.project,
  reasons: rules.reasons,
} as const;
export type RuleAnchor = keyof typeof RULE_HEADINGS;
