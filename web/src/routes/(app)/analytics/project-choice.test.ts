// The page belongs to the project of the address, or to the first that may be seen; what may not be seen is said.
import type { Project } from '@countersign/shared/api/projects';
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

  it('takes the first where the role may, without one in the address', () => {
    expect(choose([support, maths], null)).toEqual({ kind: 'chosen', project: maths });
    expect(choose([support], null)).toEqual({ kind: 'forbidden', project: support });
  });

  it('keeps to the address, in any case of letters', () => {
    expect(choose([support, maths], 'BB-2')).toEqual({ kind: 'chosen', project: maths });
    expect(choose([support, maths], 'aa-1')).toEqual({ kind: 'forbidden', project: support });
  });

  it('does not fall back to another project when the one asked for is not there', () => {
    expect(choose([support, maths], 'cc-3')).toEqual({ kind: 'missing' });
    expect(choose([], 'cc-3')).toEqual({ kind: 'none' });
  });
});
