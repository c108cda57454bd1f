// A project with its current settings and the position of its event log.
import { defineEntity, p } from '@mikro-orm/core';
import {
  BELOW_REVIEW,
  ON_DEADLINE,
  OVER_BUDGET,
  SAMPLES,
  SENSITIVE_PICTURES,
  type ContentKind,
  type DeliveredEvent,
} from '@countersign/shared/enums';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import type { Skill } from '@countersign/shared/skills';
import type { SkillRoute } from '../../domain/skills/reservation.ts';
import { TextArray } from './text-array.ts';
import { User } from './user.ts';

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'project',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    autoThreshold: p.double().$type<number>(),
    reviewThreshold: p.double().$type<number>(),
    belowReview: p.enum(BELOW_REVIEW),
    escalateFlags: p.type(TextArray).$type<string[]>(),
    /** Who gets which items first (SK). */
    skills: p.json<Skill[]>().defaultRaw(`'[]'`),
    /** The same as submissions need it: what each entry is compared with and for how long. Null: there are none. */
    skillRoutes: p.json<SkillRoute[]>().nullable(),
    guidelines: p.text(),
    reasons: p.type(TextArray).$type<string[]>(),
    auditRate: p.double().$type<number>(),
    /** The salt of audit sampling, in addition to the item ID (AU1). Never part of a response. */
    auditSalt: p.uuid().defaultRaw('gen_random_uuid()'),
    /** The settings version that turned audits off, while an item that arrived before it is undecided (AU3). */
    auditsOffVersion: p.integer().nullable(),
    errorBudget: p.double().$type<number>().nullable(),
    overBudget: p.enum(OVER_BUDGET).default('tell'),
    /** Since when audits show that the budget is exceeded (AU5); null otherwise. */
    overBudgetSince: p.datetime(3).nullable(),
    undoWindowSeconds: p.integer(),
    claimLeaseSeconds: p.integer(),
    targetMinutes: p.integer(),
    deadlineMinutes: p.integer().nullable(),
    onDeadline: p.enum(ON_DEADLINE).default('expire'),
    webhookUrl: p.text().nullable(),
    /** The events that webhook and feed carry (WE1). */
    webhookEvents: p
      .type(TextArray)
      .$type<DeliveredEvent[]>()
      .defaultRaw(`'{item.decided,item.expired,item.withdrawn,decision.revised}'`),
    /** Where reminders go (NO). Its URLs are for owners only. */
    notifications: p.json<Notification[]>().defaultRaw(`'[]'`),
    /** Retention periods in days (KE); null: never deleted. */
    retentionPayloadDays: p.integer().fieldName('keep_payloads_days').nullable(),
    retentionAttemptDays: p.integer().fieldName('keep_attempts_days').nullable(),
    retentionItemDays: p.integer().fieldName('keep_ledger_days').nullable(),
    /** IANA name of the time zone of its analytics. */
    timeZone: p.text().default('UTC'),
    mediaHosts: p.type(TextArray).$type<string[]>().defaultRaw(`'{}'`),
    sensitiveFlags: p.type(TextArray).$type<string[]>().defaultRaw(`'{}'`),
    sensitivePictures: p.enum(SENSITIVE_PICTURES).default('blur'),
    contentKinds: p.json<Record<string, ContentKind>>().defaultRaw(`'{}'`),
    /** JSON text, and its digest, by which items name it (TS). */
    answerSchema: p.text().nullable(),
    answerSchemaDigest: p.text().nullable(),
    settingsVersion: p.integer(),
    /** The settings version of the current guidelines. */
    guidelinesVersion: p.integer().default(1),
    /** The `seq` of the last event; the sequencer increases it while it holds this row. */
    eventSeq: p.bigint('number').default(0),
    /**
     * The `seq` up to which the rollups have counted (I9): the last one, except for an event log older than the
     * rollups.
     */
    rollupSeq: p.bigint('number').default(0),
    createdAt: p.datetime(3),
    /**
     * Set while the project is stopped and reviewers decide everything (RT7), with who stopped it and their note. Not a
     * setting: it does not increase the version.
     */
    stoppedAt: p.datetime(3).nullable(),
    stoppedBy: () => p.manyToOne(User).mapToPk().fieldName('stopped_by').nullable(),
    stopNote: p.text().nullable(),
    /** Whether it has sample data of the demo, or gets it now; null: neither (SA1). */
    samples: p.enum(SAMPLES).nullable(),
    /** Items that arrived before are samples. */
    samplesUntil: p.datetime(3).nullable(),
    archivedAt: p.datetime(3).nullable(),
    /** Set when it is deleted: it is hidden from then on, and the purge deletes its rows. */
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'project_deleted',
      expression: 'create index "project_deleted" on "project" ("deleted_at") where "deleted_at" is not null',
    },
  ],
});
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);
