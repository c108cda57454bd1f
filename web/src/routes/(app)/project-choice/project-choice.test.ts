// The page shows the project of the URL, or the first visible one; a missing permission is named.
import type { Project } from '@countersign/shared/schemas/projects';
import { describe, expect, it } from 'vitest';
import { chooseProject } from './project-choice.ts';

const project = (id: string, may: boolean) => ({ id, abilities: { see_analytics: may } }) as Project;
const [support, maths] = [project('aa-1', false), project('bb-2', true)];
const choose = (list: Project[] | null, asked: string | null) => chooseProject(list, asked, 'see_analytics');

describe('chooseProject (PM)', () => {
  it('waits for the list, and says when there is no project', () => {
    expect(choose(null, null)).toEqual({ kind: 'loading' });
    expect(choose(null, 'bb-2')).toEqual({ kind: 'loading' });
    expect(choose([], null)).toEqual({ kind: 'none' });
  });

  it('takes the first project whose role allows it, without one in the URL', () => {
    expect(choose([support, maths], null)).toEqual({ kind: 'chosen', project: maths });
    expect(choose([support], null)).toEqual({ kind: 'forbidden', project: support });
  });

  it('takes the project of the URL, case-insensitively', () => {
    expect(choose([support, maths], 'BB-2')).toEqual({ kind: 'chosen', project: maths });
    expect(choose([support, maths], 'aa-1')).toEqual({ kind: 'forbidden', project: support });
  });

  it('does not fall back to another project when the requested one is missing', () => {
    expect(choose([support, maths], 'cc-3')).toEqual({ kind: 'missing' });
    expect(choose([], 'cc-3')).toEqual({ kind: 'none' });
  });
});
