// Sets up MikroORM on PostgreSQL: entities, migrations, and the pool.
import { MikroORM, type Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ClientBase, Pool } from 'pg';
import { AlertSeen } from './entities/alert-seen.ts';
import { AnswerSchema } from './entities/answer-schema.ts';
import { ApiKey } from './entities/api-key.ts';
import { Attempt } from './entities/attempt.ts';
import { AuthChallenge } from './entities/auth-challenge.ts';
import { Cluster } from './entities/cluster.ts';
import { Decision } from './entities/decision.ts';
import { Delivery } from './entities/delivery.ts';
import { Event } from './entities/event.ts';
import { IdempotencyKey } from './entities/idempotency-key.ts';
import { InboundSource } from './entities/inbound-source.ts';
import { Invite } from './entities/invite.ts';
import { Item } from './entities/item.ts';
import { RetentionProgress } from './entities/retention-progress.ts';
import { Learning } from './entities/learning.ts';
import { LearningExport } from './entities/learning-export.ts';
import { MistakeReport } from './entities/mistake-report.ts';
import { RefusedWallet } from './entities/refused-wallet.ts';
import { Regression } from './entities/regression.ts';
import { RegressionCase } from './entities/regression-case.ts';
import { Member } from './entities/member.ts';
import { NotificationAttempt } from './entities/notification-attempt.ts';
import { NotificationMessage } from './entities/notification-message.ts';
import { NotificationRule } from './entities/notification-rule.ts';
import { NotificationTarget } from './entities/notification-target.ts';
import { Offer } from './entities/offer.ts';
import { ProjectChange } from './entities/project-change.ts';
import { ProjectSettings } from './entities/project-settings.ts';
import { Project } from './entities/project.ts';
import { Replay } from './entities/replay.ts';
import { Rollup } from './entities/rollup.ts';
import { Session } from './entities/session.ts';
import { Skill } from './entities/skill.ts';
import { User } from './entities/user.ts';
import { WebhookAlert } from './entities/webhook-alert.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.ts';
import { ReasonVariant } from './entities/reason-variant.ts';
import type { Connection } from './connection/database-url.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { equipPool, pooled, type PooledConnection } from './connection/pool.ts';

/** The database, and how many connections this process may open to it. */
export interface DatabaseTarget {
  connection: Connection;
  poolSize: number;
}

export type Em = SqlEntityManager;
export type Orm = MikroORM & { em: Em };

const common = {
  entities: [
    AlertSeen,
    AnswerSchema,
    ApiKey,
    Attempt,
    AuthChallenge,
    Cluster,
    Decision,
    Delivery,
    Event,
    IdempotencyKey,
    InboundSource,
    Invite,
    Item,
    RetentionProgress,
    Learning,
    LearningExport,
    MistakeReport,
    RefusedWallet,
    Regression,
    RegressionCase,
    Member,
    NotificationAttempt,
    NotificationMessage,
    NotificationRule,
    NotificationTarget,
    Offer,
    Project,
    ProjectChange,
    ProjectSettings,
    Replay,
    Rollup,
    Session,
    Skill,
    User,
    WebhookAlert,
    WebhookEndpoint,
    ReasonVariant,
  ],
  extensions: [Migrator],
  // Each migration in a transaction of its own: it releases its locks early, and completed ones remain applied.
  migrations: { migrationsList: MIGRATIONS, snapshot: false, allOrNothing: false, disableForeignKeys: false },
  // A migration creates the clock of deadlines, which tests replace.
  schemaGenerator: { ignoreRoutines: true },
  forceUtcTimezone: true,
  logger: () => undefined,
} satisfies Partial<Options>;

/** Opens the database. `onPool` receives the pool. */
export function openOrm(
  { connection, poolSize }: DatabaseTarget,
  onPool: (pool: Pool) => void = () => undefined,
): Promise<Orm> {
  return initialize({ dbName: connection.database, poolSize, driverOptions: pooled(connection) }, onPool);
}

interface Beside {
  poolSize: number;
  /** Connections send each statement without waiting for the one before. */
  pipeline: boolean;
  /** Applied to each session, after those of the service. */
  settings: string;
  onPool: (pool: Pool) => void;
}

/** Opens the database of `orm` once more, with a pool of its own. */
export function openOrmBeside(orm: Orm, { poolSize, pipeline, settings, onPool }: Beside): Promise<Orm> {
  const first: PooledConnection = orm.config.get('driverOptions');
  const onConnect = async (client: ClientBase) => {
    await first.onConnect(client);
    await client.query(settings);
  };
  const dbName: string = orm.config.get('dbName');
  return initialize({ dbName, poolSize, driverOptions: { ...first, pipeline, onConnect } }, onPool);
}

interface Target {
  dbName: string;
  poolSize: number;
  driverOptions: PooledConnection;
}

function initialize({ dbName, poolSize, driverOptions }: Target, onPool: (pool: Pool) => void): Promise<Orm> {
  const onPoolCreated = (pool: Pool) => {
    equipPool(pool);
    onPool(pool);
  };
  return MikroORM.init({
    ...common,
    driver: PostgreSqlDriver,
    dbName,
    pool: { min: 0, max: poolSize },
    // The ORM's own URL parser drops the query, so it gets the driver configuration.
    driverOptions: { ...driverOptions, onPoolCreated },
  });
}
