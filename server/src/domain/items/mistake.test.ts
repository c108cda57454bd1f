// Rule MR: every combination of role, author, finality and report, against a table written by hand.
import type { Role } from '@countersign/shared/enums';
import { describe, expect, it } from 'vitest';
import { mistakeAbilities, type MistakeSituation } from './mistake.ts';

const FINAL: MistakeSituation = { archived: false, redacted: false, decidedBy: 'anna', final: true, report: null };
const OPEN = { ...FINAL, report: { decidedBy: 'anna', reportedBy: 'anna', answered: false } };
const BY_SUPERVISOR = { ...FINAL, report: { decidedBy: 'anna', reportedBy: 'sam', answered: false } };
const ANSWERED = { ...FINAL, report: { decidedBy: 'anna', reportedBy: 'anna', answered: true } };
/** Olga revised the decision of Anna, which Sam had reported. */
const REVISED = { ...FINAL, decidedBy: 'olga', report: { decidedBy: 'anna', reportedBy: 'sam', answered: true } };

const as = (role: Role) => (userId: string) => ({ userId, role });
const [reviewer, supervisor, owner] = [as('reviewer'), as('supervisor'), as('owner')];

const CASES: [what: string, viewer: { userId: string; role: Role }, situation: MistakeSituation, allowed: string][] = [
  ['the author', reviewer('anna'), FINAL, 'see report'],
  ['another reviewer', reviewer('ben'), FINAL, ''],
  ['a supervisor', supervisor('sam'), FINAL, 'see report'],
  ['an owner', owner('olga'), FINAL, 'see report'],
  ['the author while it can be undone', reviewer('anna'), { ...FINAL, final: false }, 'see'],
  ['a supervisor of a decision by the rules', supervisor('sam'), { ...FINAL, decidedBy: null }, 'see'],
  ['the author of an open report', reviewer('anna'), OPEN, 'see report'],
  ['another reviewer of an open report', reviewer('ben'), OPEN, ''],
  ['a supervisor of an open report by another', supervisor('sam'), OPEN, 'see overturn uphold'],
  ['the reviewer whom a supervisor reported', reviewer('anna'), BY_SUPERVISOR, 'see'],
  ['the supervisor who reported', supervisor('sam'), BY_SUPERVISOR, 'see report overturn uphold'],
  ['a supervisor about their own decision', supervisor('anna'), OPEN, 'see report overturn'],
  ['the author of an answered report', reviewer('anna'), ANSWERED, 'see'],
  ['a supervisor of an answered report', supervisor('sam'), ANSWERED, 'see'],
  ['the reviewer whose reported decision was revised', reviewer('anna'), REVISED, 'see'],
  ['who revised it, and is a reviewer now', reviewer('olga'), REVISED, ''],
  [
    'a supervisor about the report of their own decision, not the newest',
    supervisor('anna'),
    { ...REVISED, report: { ...REVISED.report, answered: false } },
    'see overturn',
  ],
  ['the author of what was redacted', reviewer('anna'), { ...FINAL, redacted: true }, 'see'],
  ['the author of an open report in what was redacted', reviewer('anna'), { ...OPEN, redacted: true }, 'see'],
  [
    'a supervisor of an open report in what was redacted',
    supervisor('sam'),
    { ...OPEN, redacted: true },
    'see overturn uphold',
  ],
  ['the author in an archived project', reviewer('anna'), { ...FINAL, archived: true }, 'see'],
  ['a supervisor in an archived project', supervisor('sam'), { ...OPEN, archived: true }, 'see'],
];

describe('MR1 to MR3', () => {
  it.each(CASES)('%s may do exactly what the table says', (_what, viewer, situation, allowed) => {
    const abilities = Object.entries(mistakeAbilities(viewer, situation));
    expect(
      abilities
        .filter(([, able]) => able)
        .map(([name]) => name)
        .join(' '),
    ).toBe(allowed);
  });
});
