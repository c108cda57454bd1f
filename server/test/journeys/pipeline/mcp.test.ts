// An agent behind a balancer: each MCP message reaches another process, and a decision wakes the one that waits.
import { expect, it } from 'vitest';
import type { Submitted } from '@countersign/shared/schemas/public';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { answerOf, ERAS, mcpClient } from '../../mcp-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();

it.each(ERAS)('MC1: any process answers any message, in the %s way', async (era) => {
  const project = await openProject(await person(testEnv));
  const headers = { authorization: `Bearer ${project.pipeline.apiKey}` };
  const agents = await Promise.all([0, 1].map((process) => mcpClient({ testEnv, headers, era, process })));
  const [first, second] = agents as [(typeof agents)[0], (typeof agents)[0]];
  const { id } = await answerOf<Submitted>(first, 'request_review', { ...aSubmission() });
  const waiting = answerOf(second, 'check_review', { id, wait_seconds: 55 });
  await review(project.owner, id, 'edit', { process: 0 });
  expect(await waiting).toMatchObject({ id, status: 'approved', decision: { action: 'edit' } });
  const other = await answerOf<Submitted>(second, 'request_review', { ...aSubmission() });
  expect(await answerOf(first, 'withdraw_review', { id: other.id })).toMatchObject({ status: 'withdrawn' });
  for (const agent of agents) await agent.close();
});
