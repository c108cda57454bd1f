// Tests that the documents list the reviewers' actions as the code has them: the moves of LC0, and the decisions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DECISION_ACTIONS, OPEN_STATUSES } from '../../../shared/src/enums.ts';
import { ACTIONS, actionsFrom } from '../../../shared/src/review-actions.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const BY = { queued: 'reviewer and above', escalated: 'supervisor, owner' };
const page = (...path: string[]) => readFileSync(join(DOCS, ...path), 'utf8');

/** The rows of the table of LC0 for actions in an open status: `queued approve: reviewer and above, approved`. */
function movesOfRules(): string[] {
  const rows = [...page('RULES.md').matchAll(/^\| `(queued|escalated)` +\| (.+?) +\| (.+?) +\| `(\w+)` +\|$/gm)];
  return rows.flatMap(([, from = '', actions = '', by = '', to = '']) =>
    actions
      .replace(', with a reason', '')
      .split(', ')
      .map((action) => `${from} ${action}: ${by}, ${to}`),
  );
}

describe('the documents', () => {
  it('list every move of LC0 in the rules, by whom and with its result', () => {
    const moves = OPEN_STATUSES.flatMap((from) =>
      actionsFrom(from).map((action) => `${from} ${action}: ${BY[from]}, ${ACTIONS[action].to}`),
    );
    expect(movesOfRules().sort()).toEqual(moves.sort());
  });

  it('list the actions of decisions in the specification of items', () => {
    const row = /^\| `action` +\| string +\| (.+?) +\|$/m.exec(page('spec', 'items.md'))?.[1] ?? '';
    expect([...row.matchAll(/`(\w+)`/g)].map(([, action]) => action)).toEqual([...DECISION_ACTIONS]);
  });
});
