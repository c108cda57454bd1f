// Entries of the change log as text.
import { describe, expect, it } from 'vitest';
import { CHANGE_ACTIONS } from '@countersign/shared/enums';
import type { ProjectChange } from '@countersign/shared/schemas/changes';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { describeEntry } from './describe-entry.ts';

const OLGA = '01980000-0000-7000-8000-000000000001';
const ANNA = '01980000-0000-7000-8000-000000000002';

function anEntry(change: Partial<ProjectChange>) {
  const { phrase, subject, differences, texts, details } = describeEntry({
    id: '01980000-0000-7000-8000-0000000000ff',
    action: 'settings.changed',
    subject: null,
    subject_id: null,
    before: null,
    after: null,
    changed_by: { user_id: OLGA, name: 'Olga' },
    changed_at: '2026-11-20T12:00:00.000Z',
    ...change,
  });
  const said = subject === null ? phrase.alone : `${phrase.of[0]}${subject}${phrase.of[1]}`;
  return { said, shown: differences.map(({ label, from, to }) => `${label}: ${from} → ${to}`), texts, details };
}

describe('CL1: an entry as text', () => {
  it.each<[string, Partial<ProjectChange>, Partial<ReturnType<typeof anEntry>>]>([
    [
      'settings, in the order of the page, in any stored order',
      {
        subject: 'v13',
        before: { target_minutes: 60, below_review: 'reject', auto_threshold: 0.95, webhook_url: null },
        after: { target_minutes: 30, below_review: 'queue', auto_threshold: 0.9, webhook_url: 'https://a.example/' },
      },
      {
        said: 'changed the settings to v13',
        shown: [
          'auto-approve from: 0.95 → 0.90',
          'below review: Reject → Queue',
          'decision target: 60 min → 30 min',
          'webhook URL: none → https://a.example/',
        ],
        texts: [],
      },
    ],
    [
      'DL6: the deadline, which may be none, and what happens at it',
      {
        before: { on_deadline: 'expire', deadline_minutes: null },
        after: { on_deadline: 'escalate', deadline_minutes: 1440 },
      },
      { shown: ['deadline: none → 1440 min', 'at the deadline: Expire → Escalate'] },
    ],
    [
      'KE1: retention periods',
      {
        before: { retention_item_days: 365, retention_payload_days: null, retention_attempt_days: 30 },
        after: { retention_item_days: null, retention_payload_days: 90, retention_attempt_days: 7 },
      },
      {
        shown: [
          'content retention: forever → 90 days',
          'attempt retention: 30 days → 7 days',
          'item retention: 365 days → forever',
        ],
      },
    ],
    [
      'lists, by removed and added entries',
      {
        before: { escalate_flags: ['a', 'b'], reasons: ['x', 'y'] },
        after: { escalate_flags: ['b', 'c'], reasons: ['y', 'x'] },
      },
      { said: 'changed the settings', shown: ['escalate flags: a → c', 'reasons: null → new order'] },
    ],
    [
      'guidelines, to be compared',
      { subject: 'v2', before: { guidelines: 'Be kind.' }, after: { guidelines: 'Be brief.' } },
      {
        shown: ['guidelines: null → edited'],
        texts: [{ label: 'guidelines', before: 'Be kind.', after: 'Be brief.' }],
      },
    ],
    [
      'an answer schema, to be compared line by line',
      { before: { answer_schema: null }, after: { answer_schema: '{"type":"object"}' } },
      {
        shown: ['answer schema: null → edited'],
        texts: [{ label: 'answer schema', before: '', after: '{\n  "type": "object"\n}' }],
      },
    ],
    [
      'a value too long for a line, to be compared as well',
      { before: { webhook_url: null }, after: { webhook_url: `https://a.example/${'x'.repeat(200)}` } },
      {
        shown: ['webhook URL: null → edited'],
        texts: [{ label: 'webhook URL', before: '', after: `https://a.example/${'x'.repeat(200)}` }],
      },
    ],
    [
      'a setting without a former value',
      { before: {}, after: { target_minutes: 30 } },
      { shown: ['decision target: null → 30 min'] },
    ],
    [
      'a value of a setting this page does not know',
      { before: { quorum: 2 }, after: { quorum: { of: 3 } } },
      { shown: ['quorum: 2 → {"of":3}'] },
    ],
    [
      'an added member',
      { action: 'member.joined', subject: 'Anna', subject_id: ANNA, after: { role: 'reviewer' } },
      { said: 'added Anna', shown: ['role: null → Reviewer'] },
    ],
    [
      'a member who joined by an invite',
      { action: 'member.joined', subject: 'Olga', subject_id: OLGA, after: { role: 'owner', by_invite_of: 'Ben' } },
      { said: 'joined the project', shown: ['role: null → Owner'], details: ['invited by Ben'] },
    ],
    [
      'a demotion',
      {
        action: 'member.changed',
        subject: 'Anna',
        subject_id: ANNA,
        before: { role: 'owner' },
        after: { role: 'reviewer', invites_revoked: 2 },
      },
      {
        said: 'changed the role of Anna',
        shown: ['role: Owner → Reviewer'],
        details: ['revoked their 2 open invites'],
      },
    ],
    [
      'a member’s name',
      {
        action: 'member.changed',
        subject: '7xKX…9fQ2',
        subject_id: ANNA,
        before: { name: null },
        after: { name: 'Anna' },
      },
      { said: 'changed the name of 7xKX…9fQ2', shown: ['name: none → Anna'] },
    ],
    [
      'the actor’s own name',
      {
        action: 'member.changed',
        subject: 'Olga',
        subject_id: OLGA,
        before: { name: 'Olga' },
        after: { name: 'Olya' },
      },
      { said: 'changed their own name' },
    ],
    [
      'a member who left',
      { action: 'member.left', subject: 'Olga', subject_id: OLGA, before: { role: 'owner' } },
      { said: 'left the project', shown: ['role: Owner → null'] },
    ],
    [
      'a member removed by one with the same name',
      { action: 'member.left', subject: 'Olga', subject_id: ANNA, before: { role: 'reviewer' } },
      { said: 'removed Olga' },
    ],
    [
      'an invite',
      { action: 'invite.made', after: { role: 'reviewer', address: null, hours: 24 } },
      { said: 'created an invite', shown: ['role: null → Reviewer'], details: ['valid for 24 h'] },
    ],
    [
      'a key',
      { action: 'key.revoked', subject: 'Nightly', before: { last4: 'aB3x' } },
      { said: 'revoked the API key Nightly', shown: [], details: ['ends in aB3x'] },
    ],
    [
      'a test event',
      {
        action: 'webhook.tested',
        after: { url: 'https://a.example/', saved: false, ok: false, http_status: 500, error: null },
      },
      {
        said: 'sent a test event',
        shown: [],
        details: ['to https://a.example/', 'not saved yet', 'responded with 500'],
      },
    ],
    [
      'a disabled endpoint',
      {
        action: 'webhook.endpoint_made',
        subject: 'Mail',
        after: { url: 'https://a.example/', description: 'Mail', events: ['item.decided'], is_enabled: false },
      },
      {
        said: 'added the webhook endpoint Mail',
        shown: [],
        details: ['to https://a.example/', 'events item.decided', 'disabled'],
      },
    ],
    [
      'a deleted project, with its contents',
      { action: 'project.deleted', subject: 'Refunds', before: { items: 2640, api_keys: 3 } },
      { said: 'deleted the project: Refunds', details: [`items ${(2640).toLocaleString()}`, 'api keys 3'] },
    ],
  ])('describes %s as text', (_, change, expected) => {
    expect(anEntry(change)).toMatchObject(expected);
  });

  it('of a new project names every initial setting', () => {
    const { said, shown, details } = anEntry({
      action: 'project.created',
      after: { ...DEFAULT_SETTINGS, name: 'Refunds' },
    });
    expect(said).toBe('created the project');
    expect(shown).toHaveLength(Object.keys(DEFAULT_SETTINGS).length + 1);
    expect(shown[0]).toBe('name: null → Refunds');
    expect(shown).toContain('reasons: null → Wrong fact, Misread question, Incomplete, Wrong tone, Policy, Other');
    expect(shown).toContain('guidelines: null → none');
    expect(details).toEqual([]);
  });

  it.each([...CHANGE_ACTIONS])('%s has a text, with and without a name', (action) => {
    for (const subject of [null, 'Nightly']) expect(anEntry({ action, subject }).said).toMatch(/^[a-z].* /);
  });

  it('of an action this page does not know is still an entry', () => {
    const line = anEntry({
      action: 'project.painted' as never,
      subject: 'red',
      after: { colour: 'red', constructor: 1 },
    });
    expect(line).toMatchObject({ said: 'changed something: red', details: ['colour red', 'constructor 1'] });
  });
});
