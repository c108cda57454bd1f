// A project whose automatic answers are all audited: what tests of its figures and of its budget do in it.
import type { Audits } from '@countersign/shared/api/audits';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { readAudits } from '../../src/usecases/queries/read-audits.ts';
import { anItem, aScene, review, type Scene } from './scene.ts';
import type { Opened } from './services.ts';

/** Ten clean audits prove a budget of 0.36 (0.3535); of two starts of a raise twelve do (0.3524). */
const BUDGET = 0.36;

export interface Judging {
  confidence?: number;
  model?: string | null;
}

export const auditedScene = (world: Opened, settings: Partial<ProjectSettings> = {}): Promise<Scene> =>
  aScene(world.services, { audit_rate: 1, error_budget: BUDGET, ...settings });

/** One audit of a confidence, judged. */
export async function judgeOne(
  world: Opened,
  scene: Scene,
  { action, confidence = 0.96, model = null }: Judging & { action: 'approve' | 'reject' },
): Promise<void> {
  const metadata = model === null ? null : { value: { model }, raw: JSON.stringify({ model }) };
  const { id } = await anItem(world.services, scene, { confidence, metadata });
  await review(world.services, scene.anna, { itemId: id, action });
}

export const auditsOf = (world: Opened, scene: Scene, span: { from?: Date; to?: Date } = {}): Promise<Audits> =>
  readAudits(world.services, scene.supervisor, { projectId: scene.projectId, from: span.from, to: span.to });

export async function versionOf(world: Opened, { projectId }: Scene): Promise<number> {
  const rows = await world.sql<{ v: number }>('select settings_version as v from project where id = ?', [projectId]);
  return rows[0]?.v ?? 0;
}

/** As its owner. */
export async function changeOf(world: Opened, scene: Scene, changes: Partial<ProjectSettings>): Promise<void> {
  const settingsVersion = await versionOf(world, scene);
  await changeSettings(world.services, scene.owner, { projectId: scene.projectId, settingsVersion, changes });
}
