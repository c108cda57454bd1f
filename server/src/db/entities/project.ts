// A project with its settings as they are now, and the position its ledger has reached.
import { defineEntity, p } from '@mikro-orm/core';
import { BELOW_REVIEW } from '@countersign/shared/words';
import { TextArray } from './text-array.ts';

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
    undoWindowSeconds: p.integer(),
    claimLeaseSeconds: p.integer(),
    targetMinutes: p.integer(),
    webhookUrl: p.text().nullable(),
    settingsVersion: p.integer(),
    /** The settings version that brought the guidelines as they are now. */
    guidelinesVersion: p.integer().default(1),
    /** The `seq` of the last stamped event; the relay alone moves it. */
    eventSeq: p.bigint('number').default(0),
    createdAt: p.datetime(3),
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
