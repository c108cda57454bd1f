// @vitest-environment happy-dom
// What a tab stores of an unsaved form, and what it reads of a form that an older page stored.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { afterEach, expect, it } from 'vitest';
import { draftOf } from './settings-draft.ts';
import { storeDraft, storedDraft } from './stored-draft.ts';

const now = draftOf({ name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project);
const conflict = { was: '', mine: '90', both: null, answer: null };

afterEach(() => sessionStorage.clear());

it('ST1: reads what it stored', () => {
  const stored = { before: now, draft: { ...now, retention_item_days: '90' }, conflicts: { name: conflict } };
  storeDraft('me.project', stored);
  expect(storedDraft('me.project', now)).toEqual(stored);
});

it('ST1: reads a form of an older page under its present names, with its unanswered conflicts', () => {
  const { retention_payload_days: _, ...rest } = now;
  const older = {
    before: { ...rest, keep_payloads_days: '' },
    draft: { ...rest, keep_payloads_days: '90' },
    contests: { keep_payloads_days: conflict },
  };
  sessionStorage.setItem('countersign.settings.me.project', JSON.stringify(older));
  const read = storedDraft('me.project', now);
  expect(read?.draft).toEqual({ ...now, retention_payload_days: '90' });
  expect(read?.conflicts).toEqual({ retention_payload_days: conflict });
});
