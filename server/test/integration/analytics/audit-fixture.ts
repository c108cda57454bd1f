// A project whose auto-approvals are all audited, with the steps that tests of its figures and its budget share.
import type { Audits } from '@countersign/shared/schemas/audits';
import type { ProjectSettings } from '@countersign/shared/settings';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readAudits } from '../../../src/usecases/analytics/read-audits.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

/** Ten clean audits prove a budget of 0.36 (0.3535); after two starts of a raise twelve do (0.3524). */
const BUDGET = 0.36;

export interface AuditOptions {
  confidence?: number;
  model?: string | null;
}

export const createAuditFixture = (
  testEnv: ServicesEnvironment,
  settings: Partial<ProjectSettings> = {},
): Promise<ProjectFixture> =>
  createProjectFixture(testEnv.services, { audit_rate: 1, error_budget: BUDGET, ...settings });

/** One audit of this confidence, with a verdict. */
export async function judgeOne(
  testEnv: ServicesEnvironment,
  fixture: ProjectFixture,
  { action, confidence = 0.96, model = null }: AuditOptions & { action: 'approve' | 'reject' },
): Promise<void> {
  const metadata = model === null ? null : { value: { model }, raw: JSON.stringify({ model }) };
  const { id } = await anItem(testEnv.services, fixture, { confidence, metadata });
  await review(testEnv.services, fixture.anna, { itemId: id, action });
}

/** The deadline of an item that waits passes; without a verdict, where it is an audit. */
export async function expireOne(testEnv: ServicesEnvironment, itemId: string): Promise<void> {
  await testEnv.sql(`update item set deadline = now() - '1ms'::interval where id = ?`, [itemId]);
  await expireItemsOnce(testEnv.services);
}

/** A deadline that only `expireOne` passes. */
export const AN_HOUR = { deadline: { until: { seconds: 3600 }, onDeadline: 'expire', pointer: '' } } as const;

/** The supervisor revises what was decided: “It is wrong after all.” */
export const reviseToReject = (
  testEnv: ServicesEnvironment,
  { supervisor }: ProjectFixture,
  itemId: string,
): Promise<void> =>
  revise(testEnv.services, supervisor, {
    ...{ itemId, revises: undefined, action: 'reject' as const },
    ...{ output: null, reason: 'Wrong after all', note: null },
  });

export const auditsOf = (
  testEnv: ServicesEnvironment,
  fixture: ProjectFixture,
  span: { from?: Date; to?: Date } = {},
): Promise<Audits> =>
  readAudits(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, from: span.from, to: span.to });

export async function versionOf(testEnv: ServicesEnvironment, { projectId }: ProjectFixture): Promise<number> {
  const rows = await testEnv.sql<{ v: number }>('select settings_version as v from project where id = ?', [projectId]);
  return rows[0]?.v ?? 0;
}

/** Acts as its owner. */
export async function changeOf(
  testEnv: ServicesEnvironment,
  fixture: ProjectFixture,
  changes: Partial<ProjectSettings>,
): Promise<void> {
  const settingsVersion = await versionOf(testEnv, fixture);
  await changeSettings(testEnv.services, fixture.owner, { projectId: fixture.projectId, settingsVersion, changes });
}
