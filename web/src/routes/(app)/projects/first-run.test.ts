// The steps of the first run tick by what the project does.
import type { Project } from '@countersign/shared/api/projects';
import { expect, it } from 'vitest';
import { openStep } from './first-run.ts';

const project = (waiting: number, decided_today: number) => ({ pulse: { waiting, decided_today } }) as Project;

it('opens the step that is next', () => {
  expect(openStep(null)).toBe('make');
  expect(openStep(project(0, 0))).toBe('send');
  expect(openStep(project(1, 0))).toBe('decide');
  expect(openStep(project(0, 1))).toBe('done');
});
