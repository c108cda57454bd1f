// A project with its settings as they are now, and the position its ledger has reached.
import { defineEntity, p } from '@mikro-orm/core';
import { BELOW_REVIEW, OVER_BUDGET } from '@countersign/shared/enums';
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
    guidelines: p.text(),
    reasons: p.type(TextArray).$type<string[]>(),
    auditRate: p.double().$type<number>(),
    /** What its audits are drawn by, beside the item's id (AU1). No answer has it. */
    auditSalt: p.uuid().defaultRaw('gen_random_uuid()'),
    /** The settings version that ended the audits, while something that arrived before it is undecided (AU3). */
    auditsOffVersion: p.integer().nullable(),
    errorBudget: p.double().$type<number>().nullable(),
    overBudget: p.enum(OVER_BUDGET).default('tell'),
    /** Since when audits say so (AU5); null while they do not. */
    overBudgetSince: p.datetime(3).nullable(),
    undoWindowSeconds: p.integer(),
    claimLeaseSeconds: p.integer(),
    targetMinutes: p.integer(),
    webhookUrl: p.text().nullable(),
    /** For how many days what is done with is kept (KE); null: for good. */
    keepPayloadsDays: p.integer().nullable(),
    keepAttemptsDays: p.integer().nullable(),
    keepLedgerDays: p.integer().nullable(),
    /** IANA name of the zone the days of its analytics are in. */
    timeZone: p.text().default('UTC'),
    settingsVersion: p.integer(),
    /** The settings version that brought the guidelines as they are now. */
    guidelinesVersion: p.integer().default(1),
    /** The `seq` of the last stamped event; moved by who numbers facts, with this row held. */
    eventSeq: p.bigint('number').default(0),
    /** Up to which `seq` the rollups have counted (I9): the last one, but for a ledger that was there before them. */
    rollupSeq: p.bigint('number').default(0),
    createdAt: p.datetime(3),
    /** Set while people decide everything (RT7), with who stopped it and what they said of it. No setting: it raises no version. */
    stoppedAt: p.datetime(3).nullable(),
    stoppedBy: () => p.manyToOne(User).mapToPk().fieldName('stopped_by').nullable(),
    stopNote: p.text().nullable(),
    archivedAt: p.datetime(3).nullable(),
    /** Set when it was deleted: nobody sees it any more, and the purge takes its rows away. */
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
