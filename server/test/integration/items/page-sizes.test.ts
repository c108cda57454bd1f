// Tests that pages of long answers end early, as those of large items do (MB3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEvents, listItems } from '@countersign/shared/routes/public';
import { listLearnings } from '@countersign/shared/routes/learnings';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, setUndoWindow, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { relayOnce } from '../../../src/worker/relay.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterAll(() => served.close());

/** A page has 1.5 MiB of payload, and its first item over that is on the next one. */
const MOST = 1.7 * 1024 * 1024;
const COUNT = 20;

type Answer = { action: 'respond'; response: string } | { action: 'edit'; output: string };

/** Items without a suggestion, each with this answer, in a project of their own. */
async function answered(answer: Answer): Promise<void> {
  project = await openProject(await person(served.testEnv));
  await setUndoWindow(project, 0);
  for (let n = 0; n < COUNT; n += 1) {
    const { id } = await project.pipeline.submit(
      aSubmission({ suggestion: null, allowed_actions: ['edit', 'respond'] }),
    );
    const { fence } = await project.owner.call(claimItem, { params: { id } });
    await project.owner.call(decideItem, { params: { id }, body: { fence, ...answer } });
  }
  await relayOnce(inside.services, inside.signals);
}

const pageAfter = (after?: string) => ({ limit: 100, ...(after !== undefined && { after }) });

const PAGES = {
  events: (after?: string) => project.pipeline.call(listEvents, { query: pageAfter(after) }),
  items: (after?: string) => project.pipeline.call(listItems, { query: pageAfter(after) }),
  learnings: (after?: string) =>
    project.owner.call(listLearnings, { params: { id: project.id }, query: pageAfter(after) }),
};

describe.each<[string, Answer]>([
  // As JSON each of these characters has six bytes.
  ['answers in words', { action: 'respond', response: `x${'\u0001'.repeat(19_999)}` }],
  ['answers to null', { action: 'edit', output: 'x'.repeat(120_000) }],
])('a list of %s', (_, answer) => {
  beforeAll(() => answered(answer));

  it.each(Object.entries(PAGES))(
    'has pages of less than two megabytes, and nothing is missing: %s',
    async (_, read) => {
      let seen = 0;
      for (let after: string | undefined; seen < COUNT;) {
        const page = await read(after);
        expect(JSON.stringify(page).length).toBeLessThan(MOST);
        expect(page.data.length).toBeGreaterThan(0);
        seen += page.data.length;
        after = page.next_cursor ?? undefined;
      }
      expect(seen).toBe(COUNT);
    },
  );
});
