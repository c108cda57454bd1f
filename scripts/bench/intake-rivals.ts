// The rivals of the intake bench: the same server and route, with another (or no) way to make a submission durable.
import type pg from 'pg';
import type { NewEvent } from '../../shared/src/schemas/parts/events.ts';
import { EVENTS_APPENDED } from '../../server/src/db/connection/channels.ts';
import { Decision } from '../../server/src/db/entities/decision.ts';
import { Event } from '../../server/src/db/entities/event.ts';
import { Item } from '../../server/src/db/entities/item.ts';
import { Project } from '../../server/src/db/entities/project.ts';
import type { Intake, Submission, Stored } from '../../server/src/usecases/items/intake.ts';
import type { NewItem, RoutingRow } from '../../server/src/db/submit-batch.ts';
import { arrivalOf, autoDecision, toNewItem } from '../../server/src/usecases/items/new-item.ts';
import type { Services } from '../../server/src/usecases/services.ts';
import { poolTo } from '../lib/processes/postgres-client.ts';

export const RIVALS = {
  'no-database': inMemory,
  'transaction-per-item': perItem,
  'flush-per-item': perFlush,
} satisfies Record<string, (services: Services, databaseUrl: string) => Intake>;

const one = ({ items: [input] }: Submission) => {
  if (input === undefined) throw new Error('A submission has an item.');
  return input;
};
const storedOf = (item: NewItem): Stored => ({ results: [{ item, decision: autoDecision(item) }], replayed: false });

/** Routed and answered, never stored. */
function inMemory(services: Services): Intake {
  const settings = { auto_threshold: 0.95, review_threshold: 0.7, below_review: 'reject' as const };
  const project = {
    ...settings,
    escalate_flags: ['legal'],
    settings_version: 1,
    target_minutes: 60,
    ...{ deadline_minutes: null, on_deadline: 'expire' as const, clock: 0 },
    audit_rate: 0,
    audit_salt: '',
    stopped: false,
    skill_routes: null,
  };
  return {
    submit: (submission) => {
      const row = { ...project, id: submission.projectId };
      return Promise.resolve(
        storedOf(toNewItem(one(submission), row, { ids: services.ids, now: services.clock.now() })),
      );
    },
  };
}

/** The usual way without group commit: a transaction per item, through a pool, in as few statements as possible. */
function perItem(services: Services, databaseUrl: string): Intake {
  const opening = poolTo(databaseUrl, 20);
  return {
    submit: async (submission) => {
      const client = await (await opening).connect();
      try {
        await client.query('begin');
        const { rows } = await client.query<RoutingRow>(
          `select id, auto_threshold, review_threshold, below_review, escalate_flags, settings_version, target_minutes, audit_rate, audit_salt,
             skill_routes, deadline_minutes, on_deadline, (extract(epoch from deadline_clock()) * 1000)::float8 as clock
           from project where id = $1 and archived_at is null`,
          [submission.projectId],
        );
        const [project] = rows;
        if (project === undefined) throw new Error('The project is there.');
        const item = toNewItem(one(submission), project, { ids: services.ids, now: services.clock.now() });
        await insertOne(client, item, { id: services.ids.uuid(), ...arrivalOf(item, submission.actor) });
        await client.query('commit');
        return storedOf(item);
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

async function insertOne(client: pg.PoolClient, item: NewItem, event: NewEvent & { id: string }): Promise<void> {
  await client.query(
    `insert into item (id, project_id, status, input, suggestion, metadata, confidence, risk_flags, preview, model, source,
       rule, auto_threshold, review_threshold, matched_flags, settings_version, version, created_at, due_at, decided_at)
     values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20)`,
    [
      ...[item.id, item.projectId, item.status, item.input, item.suggestion, item.metadata, item.confidence],
      ...[item.riskFlags, item.preview, item.model, item.source, item.rule, item.autoThreshold, item.reviewThreshold],
      ...[item.matchedFlags, item.settingsVersion, item.version, item.createdAt, item.dueAt, item.decidedAt],
    ],
  );
  if (item.decisionId !== null) {
    await client.query(
      `insert into decision (id, item_id, project_id, status, action, output, edited, decided_at, final_at)
       values ($1,$2,$3,'approved','auto_approve',$4,false,$5,$5)`,
      [item.decisionId, item.id, item.projectId, item.suggestion, item.createdAt],
    );
  }
  const { id, type, project_id: projectId, actor: who, ...data } = event;
  await client.query(
    `insert into event (id, project_id, type, item_id, actor, data, created_at) values ($1,$2,$3,$4,$5,$6,$7)`,
    [id, projectId, type, item.id, JSON.stringify(who), JSON.stringify(data), item.createdAt],
  );
  await client.query('select pg_notify($1, $2)', [EVENTS_APPENDED, type]);
}

/** The plain way with an ORM: load, create the entities, flush. */
function perFlush(services: Services): Intake {
  return {
    submit: (submission) =>
      services.db.write(async ({ em }) => {
        const project = await em.findOneOrFail(Project, { id: submission.projectId, archivedAt: null });
        const row = {
          ...{ id: project.id, auto_threshold: project.autoThreshold, review_threshold: project.reviewThreshold },
          ...{ below_review: project.belowReview, escalate_flags: project.escalateFlags },
          ...{ settings_version: project.settingsVersion, target_minutes: project.targetMinutes },
          ...{ deadline_minutes: project.deadlineMinutes ?? null, on_deadline: project.onDeadline, clock: Date.now() },
          ...{ audit_rate: project.auditRate, audit_salt: project.auditSalt, stopped: Boolean(project.stoppedAt) },
          skill_routes: project.skillRoutes ?? null,
        };
        const item = toNewItem(one(submission), row, { ids: services.ids, now: services.clock.now() });
        const { decisionId: _decision, ...columns } = item;
        em.create(Item, { ...columns, claimedBy: null, claimExpiresAt: null });
        const decision = autoDecision(item);
        if (decision) em.create(Decision, { ...decision, reason: null, note: null, reviewerId: null, undoUntil: null });
        const { type, project_id: projectId, actor, ...data } = arrivalOf(item, submission.actor);
        em.create(Event, {
          id: services.ids.uuid(),
          projectId,
          type,
          itemId: item.id,
          actor,
          data,
          seq: null,
          createdAt: item.createdAt,
        });
        await em.flush();
        await em.execute('select pg_notify(?, ?)', [EVENTS_APPENDED, type]);
        return storedOf(item);
      }),
  };
}
