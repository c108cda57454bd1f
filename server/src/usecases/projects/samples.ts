// Sample data of the demo: marks a project that has it, and removes it again (SA).
import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '@countersign/shared/errors';
import type { Tx } from '../../db/database.ts';
import { Project } from '../../db/entities/project.ts';
import { appendProjectChanged, recordChange } from '../../db/record-change.ts';
import { deleteItems } from '../../db/retention/delete-items.ts';
import { lockProject } from '../../db/lock-project.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { SYSTEM, memberRef } from '../../domain/access/actor.ts';
import { removeMember } from '../access/change-member.ts';
import { requireChange } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { demoAddresses } from './demo-people.ts';

/** Marks these projects before their samples are made: what arrives before `until` is one. */
export async function beginSamples({ db }: Services, projectIds: readonly string[], until: Date): Promise<void> {
  await db.write(({ em }) =>
    em.nativeUpdate(Project, { id: { $in: [...projectIds] } }, { samples: 'making', samplesUntil: until }),
  );
}

/** The samples of these projects are complete. */
export async function completeSamples({ db }: Services, projectIds: readonly string[]): Promise<void> {
  await db.write(async (tx) => {
    await tx.em.nativeUpdate(Project, { id: { $in: [...projectIds] }, samples: 'making' }, { samples: 'ready' });
    for (const projectId of projectIds) await appendProjectChanged(tx, { projectId, changed: ['samples'], by: SYSTEM });
  });
}

/** How many items one transaction deletes. */
const BATCH = 500;
/** How often deliveries that are being sent are waited for, and how long each time, in milliseconds. */
const PATIENCE = 100;
const WAIT_MS = 100;

/**
 * Removes the samples of a project and the people of the demo, and counts the figures of the rest again (SA2). Without samples
 * it has no effect. Errors: `not_found`, `forbidden`, `unavailable` while samples are being made or sent.
 */
export async function removeSamples(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  const project = await services.db.write(async ({ em }) => {
    await requireChange(em, { userId: actor.userId, projectId }, 'manage_project');
    return em.findOneOrFail(Project, { id: projectId });
  });
  if (!project.samples) return;
  if (project.samples === 'making')
    throw new Refusal('unavailable', 'The sample data is still being made. Try again in a moment.', { retryAfter: 5 });
  const items = await deleteSamples(services, projectId);
  const people = await services.db.read((em) =>
    em.execute<{ id: string }[]>(
      'select u.id from app_user u join member m on m.user_id = u.id where m.project_id = ? and u.address in (?)',
      [projectId, demoAddresses()],
    ),
  );
  for (const { id: userId } of people) await removeMember(services, actor, { projectId, userId });
  await services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    await forget(tx.em, projectId);
    const none = { samples: null, samplesUntil: null };
    const unmarked = await tx.em.nativeUpdate(Project, { id: projectId, samples: 'ready' }, none);
    // Somebody else removed them at the same time.
    if (unmarked === 0) return;
    const change = { action: 'project.samples_removed' as const, before: { items } };
    await recordChange(
      services,
      { tx, by: memberRef(actor) },
      { projectId, changed: ['samples', 'learnings', 'clusters'], ...change },
    );
  });
}

/** Deletes what was made of samples that a crash left unfinished, so that they can be made again. The mark stays. */
export async function clearUnfinished(services: Services, projectId: string): Promise<void> {
  await deleteSamples(services, projectId);
  await services.db.write(async ({ em }) => {
    await lockProject(em, projectId);
    await forget(em, projectId);
  });
}

/** Deletes the samples in batches: nothing waits for all of them. Returns how many there were. */
async function deleteSamples({ db }: Services, projectId: string): Promise<number> {
  let items = 0;
  for (let waits = 0; ;) {
    const { deleted, kept, busy } = await db.write((tx) => deleteBatch(tx, projectId));
    items += deleted;
    // The next query leaves out what somebody worked on meanwhile, so this loop ends.
    if (deleted + kept > 0) continue;
    if (!busy) return items;
    if ((waits += 1) > PATIENCE)
      throw new Refusal('unavailable', 'Some sample data is being sent. Try again in a moment.', { retryAfter: 5 });
    await delay(WAIT_MS);
  }
}

/** The items `i` of the project `p` that a person did something with after the samples were made: these stay (SA2). */
const WORKED_ON = `exists (
  select 1 from event e where e.item_id = i.id and e.actor ->> 'kind' = 'member' and e.created_at >= p.samples_until)`;

/** $1: the project. */
const LOCK_SAMPLES = `
  select i.id from item i join project p on p.id = i.project_id
  where p.id = $1 and i.created_at < p.samples_until and not ${WORKED_ON}
  order by i.id limit ${BATCH} for no key update of i`;

/** $1: locked items. What somebody did while the locks were waited for is not in the snapshot of the statement that waited. */
const WORKED_ON_MEANWHILE = `
  select i.id from item i join project p on p.id = i.project_id where i.id = any($1::uuid[]) and ${WORKED_ON}`;

interface Batch {
  deleted: number;
  /** How many were worked on after they were found. */
  kept: number;
  busy: boolean;
}

async function deleteBatch({ em }: Tx, projectId: string): Promise<Batch> {
  const rows = await rawQuery<{ id: string }>(em, LOCK_SAMPLES, [projectId]);
  const ids = `{${rows.map(({ id }) => id).join(',')}}`;
  // Nothing more of them is sent; an attempt in progress is waited for.
  const sending = await rawQuery<{ item_id: string; status: string }>(
    em,
    `select item_id, status from delivery where item_id = any($1::uuid[]) order by id for update`,
    [ids],
  );
  const kept = new Set((await rawQuery<{ id: string }>(em, WORKED_ON_MEANWHILE, [ids])).map(({ id }) => id));
  const left = sending.filter(({ item_id, status }) => status === 'sending' && !kept.has(item_id));
  const busy = new Set(left.map(({ item_id }) => item_id));
  const free = rows.filter(({ id }) => !kept.has(id) && !busy.has(id)).map(({ id }) => id);
  const { events, until } = await deleteItems(em, free);
  if (events > 0) await noteDeleted(em, projectId, { events, until });
  return { deleted: free.length, kept: kept.size, busy: busy.size > 0 };
}

/** As retention does (KE4): a recount knows since when the event log is complete. */
async function noteDeleted(
  em: Em,
  projectId: string,
  { events, until }: { events: number; until: Date | null },
): Promise<void> {
  await rawQuery(
    em,
    `insert into keeping as k (project_id, kind, facts_gone, gone_until) values ($1, 'ledger', $2, $3::timestamptz)
     on conflict (project_id, kind) do update set facts_gone = k.facts_gone + excluded.facts_gone,
       gone_until = greatest(k.gone_until, excluded.gone_until)`,
    [projectId, events, until],
  );
}

/** $1: the project. The figures are counted again from what is left of the event log. */
const FORGET = [
  `delete from webhook_alert a where project_id = $1 and (a.created_at < (select samples_until from project where id = $1)
     or (a.delivery_id is not null and not exists (select 1 from delivery d where d.id = a.delivery_id)))`,
  `update webhook_endpoint set failures = 0, openings = 0, open_until = null, in_trouble = false, alerted_at = null where project_id = $1`,
  `delete from wording w where project_id = $1 and not exists (
     select 1 from learning l where l.project_id = w.project_id and l.reason = w.reason)`,
  `delete from cluster c where project_id = $1 and name is null and not exists (select 1 from wording w where w.cluster_id = c.id)
     and not exists (select 1 from cluster m where m.merged_into = c.id)`,
  'delete from rollup where project_id = $1',
  'update project set rollup_seq = 0 where id = $1',
];

/** Forgets what was derived from samples. The caller has locked the project. */
async function forget(em: Em, projectId: string): Promise<void> {
  for (const text of FORGET) await rawQuery(em, text, [projectId]);
}
