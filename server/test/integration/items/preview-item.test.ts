// The preview of an item: it says what a submission becomes, by the rules of the intake, and stores nothing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import { archiveProject } from '@countersign/shared/routes/lifecycle';
import { previewItem } from '@countersign/shared/routes/previews';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterAll(() => served.close());

const SCHEMA = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
const newProject = async (settings: object = {}): Promise<OpenProject> =>
  openProject(await person(served.testEnv), { settings });
type Item = Parameters<typeof aSubmission>[0];
const preview = ({ owner, id }: OpenProject, item: Item) =>
  owner.call(previewItem, { params: { id }, body: aSubmission(item) });

it('PV1: says what the same submission becomes, and shows the item as its reviewer would open it', async () => {
  const project = await newProject({ escalate_flags: ['legal'], answer_schema: SCHEMA });
  const items: Item[] = [
    { suggestion: { amount: 5 }, confidence: 1 },
    { suggestion: { amount: 'five' }, confidence: 1 },
    { suggestion: { amount: 5 }, risk_flags: ['Legal'], title: 'Refund', metadata: { model: 'm1' } },
    { suggestion: { amount: 5 }, confidence: 0 },
    { kind: 'tool_call', suggestion: { name: 'refund', arguments: { amount: 5 } }, allowed_actions: ['reject'] },
    { suggestion: { amount: 5 }, answer_schema: null, deadline_seconds: 600, on_deadline: 'reject' },
  ];
  for (const each of items) {
    const item = { input: { question: 'May the parcel be returned?' }, ...each };
    const previewed = await preview(project, item);
    const { id } = await project.pipeline.submit(aSubmission(item));
    const stored = await project.owner.call(readQueueItem, { params: { id } });
    expect(previewed.status).toBe(stored.status);
    expect(previewed.routing).toEqual(stored.routing);
    const times = { id: '', created_at: '', due_at: '', deadline: null, decision: null, abilities: null };
    expect({ ...previewed.item, ...times }).toEqual({ ...stored, ...times });
    expect(previewed.item.deadline?.span_seconds).toBe(stored.deadline?.span_seconds);
  }
});

it('PV1: stores nothing', async () => {
  const project = await newProject();
  await preview(project, { confidence: 1 });
  await preview(project, { answer_schema: SCHEMA });
  const [counted] = await inside.services.db.read((em) =>
    em.execute(
      `select (select count(*) from item where project_id = p.id)::int as items,
         (select count(*) from answer_schema where project_id = p.id)::int as schemas from project p where p.id = ?`,
      [project.id],
    ),
  );
  expect(counted).toEqual({ items: 0, schemas: 0 });
});

it('PV1: refuses what a submission would be refused for, with the same pointers', async () => {
  const project = await newProject();
  const refusal = async (code: Parameters<typeof project.owner.refused>[0], item: Item) =>
    (
      await project.owner.refused(code, previewItem, { params: { id: project.id }, body: aSubmission(item) })
    ).errors?.map(({ pointer }) => pointer);
  expect(await refusal('validation_failed', { ...({ risk_flag: [] } as object) })).toEqual(['#/risk_flag']);
  expect(await refusal('validation_failed', { kind: 'tool_call', suggestion: 'refund' })).toEqual(['#/suggestion']);
  expect(await refusal('validation_failed', { deadline: '2020-01-01T00:00:00Z' })).toEqual(['#/deadline']);
  expect(await refusal('schema_invalid', { answer_schema: { type: 'txt' } })).toEqual(['#/answer_schema/type']);
  await refusal('payload_too_large', { input: 'x'.repeat(LIMITS.itemBytes) });
  await refusal('project_mismatch', { project_id: '00000000-0000-4000-8000-000000000000' });
});

it('AU3: hides what reviewers of a project with audits do not see, and draws no audit', async () => {
  const project = await newProject({ audit_rate: 1 });
  const shipped = await preview(project, { confidence: 1 });
  expect(shipped).toMatchObject({ status: 'auto_approved', routing: { rule: 'RT2' } });
  const waiting = await preview(project, { confidence: 0.7 });
  expect(waiting.item).toMatchObject({ confidence: null, routing: null });
  expect(waiting.routing.rule).toBe('RT3');
});

it('PM: is for owners of a project that accepts submissions', async () => {
  const project = await newProject();
  const supervisor = await person(served.testEnv);
  await join(project, supervisor, 'supervisor');
  const call = { params: { id: project.id }, body: aSubmission({}) };
  await supervisor.refused('forbidden', previewItem, call);
  await (await person(served.testEnv)).refused('not_found', previewItem, call);
  await project.owner.call(archiveProject, { params: { id: project.id } });
  await project.owner.refused('forbidden', previewItem, call);
});
