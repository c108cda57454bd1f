// The MCP tools by the official client: submit, wait, decide, withdraw, and every refusal as a result.
import { randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '@countersign/shared/routes/projects';
import type { Submitted } from '@countersign/shared/schemas/public';
import { startWaiterLoop } from '../../../src/wake-waiters.ts';
import { aSubmission, openProject, review } from '../../builders.ts';
import { answerOf, ERAS, mcpClient, refusalOf, type Era } from '../../mcp-client.ts';
import { useDeadlineFixture } from '../support/deadline-fixture.ts';

const UNKNOWN_ID = '0197f1a0-0000-7000-8000-000000000001';
const { inside, now, submitted, passes } = useDeadlineFixture();
const opened: Client[] = [];
let stopWaking: () => Promise<void>;

beforeAll(async () => {
  stopWaking = await startWaiterLoop(inside);
});
afterAll(() => stopWaking());
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function agent(era: Era = 'legacy', headers = bearer(now.project.pipeline.apiKey)): Promise<Client> {
  const client = await mcpClient({ testEnv: now.project.owner.testEnv, headers, era });
  opened.push(client);
  return client;
}

const request = (client: Client, overrides: object = {}) =>
  answerOf<Submitted>(client, 'request_review', { ...aSubmission(), ...overrides });

describe.each(ERAS)('an agent that speaks the protocol in the %s way', (era) => {
  it('sees three tools with schemas and hints', async () => {
    const client = await agent(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['request_review', 'check_review', 'withdraw_review']);
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect(Object.keys(annotations ?? {})).toHaveLength(4);
    }
    expect(client.getServerVersion()).toMatchObject({ name: 'countersign' });
    expect(client.getInstructions()).toContain('check_review');
  });

  it('waits for a person, and gets the edited output with a link to the item', async () => {
    const client = await agent(era);
    const requested = await request(client, { title: 'A refund' });
    const { id } = requested;
    expect(requested).toEqual({ id, status: 'queued', decision: null });
    const waiting = client.callTool({ name: 'check_review', arguments: { id, wait_seconds: 55 } });
    await expect.poll(() => inside.services.waiters.taken).toBe(1);
    await review(now.project.owner, id, 'edit');
    const { structuredContent: item, content } = await waiting;
    const decision = { action: 'edit', output: 'An answer that a person wrote.', edited: true };
    expect(item).toMatchObject({ id, status: 'approved', title: 'A refund', decision });
    expect(item).toEqual(await now.project.pipeline.read(id));
    expect(content.at(-1)).toMatchObject({ type: 'resource_link', uri: `${inside.services.baseUrl}/queue?item=${id}` });
  });

  it('gets an automatic decision at once, and withdraws what it needs no longer', async () => {
    const client = await agent(era);
    const automatic = await request(client, { confidence: 1, suggestion: 'Yes.' });
    expect(automatic).toMatchObject({ status: 'auto_approved', decision: { action: 'auto_approve', output: 'Yes.' } });
    const { id } = await request(client);
    const withdrawn = { id, status: 'withdrawn', decision: null };
    expect(await answerOf(client, 'withdraw_review', { id, reason: 'The customer cancelled.' })).toEqual(withdrawn);
    expect(await answerOf(client, 'withdraw_review', { id })).toEqual(withdrawn);
    const refusal = await refusalOf(client, 'withdraw_review', { id: automatic.id });
    expect(refusal).toMatchObject({ code: 'already_decided', item: automatic });
  });
});

it('an item that expired is an answer; withdrawing it is a refusal that carries it', async () => {
  const client = await agent();
  const id = await submitted();
  await passes();
  expect(await answerOf(client, 'check_review', { id, wait_seconds: 55 })).toMatchObject({
    ...{ id, status: 'expired', decision: null },
  });
  const refusal = await refusalOf(client, 'withdraw_review', { id });
  expect(refusal).toMatchObject({ code: 'expired', item: { id, status: 'expired' } });
});

describe('an idempotency key', () => {
  it('makes a call safe to repeat, and is refused for other arguments', async () => {
    const client = await agent();
    const given = { ...aSubmission(), idempotency_key: randomUUID() };
    const first = await answerOf<Submitted>(client, 'request_review', given);
    await review(now.project.owner, first.id, 'approve');
    expect(await answerOf(client, 'request_review', given)).toMatchObject({ id: first.id, status: 'approved' });
    const refusal = await refusalOf(client, 'request_review', { ...given, confidence: 0.81 });
    expect(refusal.code).toBe('idempotency_key_reused');
  });
});

describe('a refusal says what to do', () => {
  it.each<[string, string, object, object]>([
    ['a misspelt field', 'request_review', { ...aSubmission(), risk_flag: [] }, { pointer: '#/risk_flag' }],
    ['a confidence too high', 'request_review', aSubmission({ confidence: 2 }), { pointer: '#/confidence' }],
    ['a project', 'request_review', { ...aSubmission(), project_id: UNKNOWN_ID }, { pointer: '#/project_id' }],
    ['no arguments', 'request_review', {}, { pointer: '#/input' }],
    ['two deadlines', 'request_review', aSubmission({ deadline: null, deadline_seconds: 60 }), { code: 'not_allowed' }],
    ['a NUL', 'request_review', aSubmission({ input: { a: ['\u0000'] } }), { pointer: '#/input/a/0', code: 'nul' }],
    ['no id', 'check_review', { id: 'demo' }, { pointer: '#/id' }],
    ['an endless wait', 'check_review', { id: UNKNOWN_ID, wait_seconds: 56 }, { pointer: '#/wait_seconds' }],
  ])('to %s', async (_, name, args, error) => {
    expect(await refusalOf(await agent(), name, args)).toMatchObject({
      code: 'validation_failed',
      request_id: expect.stringMatching(/^[\w-]+$/) as string,
      errors: expect.arrayContaining([expect.objectContaining(error)]) as unknown[],
    });
  });

  it('to an invalid schema, an item of another project, and one that is too large', async () => {
    const client = await agent();
    const broken = { ...aSubmission(), answer_schema: { type: 'text' } };
    expect((await refusalOf(client, 'request_review', broken)).code).toBe('schema_invalid');
    const other = await openProject(now.project.owner);
    const { id } = await other.pipeline.submit(aSubmission());
    for (const name of ['check_review', 'withdraw_review'])
      for (const one of [id, UNKNOWN_ID]) expect((await refusalOf(client, name, { id: one })).code).toBe('not_found');
    const large = aSubmission({ input: 'x'.repeat(256 * 1024) });
    expect((await refusalOf(client, 'request_review', { ...large })).code).toBe('payload_too_large');
  });

  it('K8: to a key without the scope of the tool, whose other tools work', async () => {
    const { owner, id: projectId } = now.project;
    const keyFor = async (scopes: ('read' | 'submit')[]) =>
      (await owner.call(createApiKey, { params: { id: projectId }, body: { name: 'Scoped', scopes } })).api_key;
    const [reader, writer] = [
      await agent('auto', bearer(await keyFor(['read']))),
      await agent('auto', bearer(await keyFor(['submit']))),
    ];
    const { id } = await request(writer);
    expect((await refusalOf(writer, 'check_review', { id })).detail).toContain('read');
    expect((await refusalOf(reader, 'request_review', { ...aSubmission() })).code).toBe('forbidden');
    expect((await refusalOf(reader, 'withdraw_review', { id })).code).toBe('forbidden');
    expect(await answerOf(reader, 'check_review', { id })).toMatchObject({ id, status: 'queued' });
  });

  it('to the name of a tool that does not exist, as an error of the protocol', async () => {
    const client = await agent();
    await expect(client.callTool({ name: 'approve_review', arguments: {} })).rejects.toThrow('approve_review');
  });
});
