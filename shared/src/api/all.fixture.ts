// Every endpoint of the contract by its name, for the tests that go through all of them: one that is missing here is in none.
import type { Endpoint } from './endpoint.ts';
import * as alerts from './alerts.ts';
import * as analytics from './analytics.ts';
import * as audits from './audits.ts';
import * as deliveries from './deliveries.ts';
import * as changes from './changes.ts';
import * as clusters from './clusters.ts';
import * as exports from './exports.ts';
import * as guidelines from './guidelines.ts';
import * as floor from './floor.ts';
import * as firstRun from './first-run.ts';
import * as inbound from './inbound.ts';
import * as insights from './insights.ts';
import * as invites from './invites.ts';
import * as lifecycle from './lifecycle.ts';
import * as offers from './offers.ts';
import * as openapi from './openapi.ts';
import * as projects from './projects.ts';
import * as publicApi from './public.ts';
import * as regressions from './regressions.ts';
import * as queue from './queue.ts';
import * as session from './session.ts';
import * as thresholds from './thresholds.ts';
import * as webhook from './webhook.ts';

const MODULES = {
  alerts,
  analytics,
  audits,
  deliveries,
  'first-run': firstRun,
  changes,
  clusters,
  exports,
  floor,
  guidelines,
  inbound,
  insights,
  invites,
  lifecycle,
  offers,
  openapi,
  projects,
  public: publicApi,
  queue,
  regressions,
  session,
  thresholds,
  webhook,
};

/** The files of this folder that hold endpoints. */
export const MODULE_NAMES = Object.keys(MODULES);

export const ENDPOINTS: [name: string, endpoint: Endpoint][] = Object.values(MODULES).flatMap((module) =>
  Object.entries(module).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value;
}
