// Tests which pages say that a project has sample data of the demo, and who is offered to remove it.
import type { Project } from '@countersign/shared/schemas/projects';
import { describe, expect, it } from 'vitest';
import { samplesNotice } from './samples.ts';

const project = (id: string, samples: Project['samples'], owner = true) =>
  ({ id, samples, abilities: { manage_project: owner } }) as Project;
const LIST = [project('a', 'ready'), project('b', null), project('c', 'ready', false)];
const ids = (projects: readonly Project[] = []) => projects.map(({ id }) => id).join('');

describe('samplesNotice', () => {
  it.each([
    { title: 'of a project with samples', list: LIST, projectId: 'a', having: 'ac', removable: 'a' },
    { title: 'of all projects', list: LIST, projectId: null, having: 'ac', removable: 'a' },
    { title: 'of a project without', list: LIST, projectId: 'b', having: '', removable: '' },
    { title: 'without any', list: [project('b', null)], projectId: null, having: '', removable: '' },
    { title: 'while they are made', list: [project('a', 'making')], projectId: null, having: 'a', removable: '' },
  ])('SA3: on a page $title', ({ list, projectId, having, removable }) => {
    const notice = samplesNotice(list, projectId);
    expect([ids(notice?.projects), ids(notice?.removable)]).toEqual([having, removable]);
  });
});
