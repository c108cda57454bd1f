// The sentence below the deadline of a project.
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Project } from '@countersign/shared/schemas/projects';
import { expect, it } from 'vitest';
import { draftOf, type Draft } from '../settings/settings-draft.ts';
import { deadlinePreview } from './deadline-preview.ts';

const draft = draftOf({ ...DEFAULT_SETTINGS, name: 'Maths answers' } as Project);

it.each<[string, Draft['on_deadline'], RegExp]>([
  ['', 'expire', /^Items that are submitted without a deadline wait/],
  ['90', 'expire', /^An undecided item expires 1 h 30 min after it arrived/],
  [' 1440 ', 'escalate', /goes to supervisors 1 d after it arrived\. They have the same time again/],
  ['1', 'reject', /is rejected 1 min after it arrived/],
  ['0', 'reject', /^$/],
  ['525601', 'expire', /^$/],
  ['1.5', 'expire', /^$/],
  ['soon', 'escalate', /^$/],
])('DL6: says what “%s” minutes and “%s” mean', (deadline_minutes, on_deadline, said) => {
  expect(deadlinePreview({ ...draft, deadline_minutes, on_deadline })).toMatch(said);
});
