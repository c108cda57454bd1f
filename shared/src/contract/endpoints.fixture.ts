// Every endpoint of the contract by its name, for tests that iterate over all of them.
import type { Endpoint } from '../api/endpoint.ts';
import * as alerts from '../api/alerts.ts';
import * as analytics from '../api/analytics.ts';
import * as audits from '../api/audits.ts';
import * as deliveries from '../api/deliveries.ts';
import * as changes from '../api/changes.ts';
import * as clusters from '../api/clusters.ts';
import * as exports from '../api/exports.ts';
import * as guidelines from '../api/guidelines.ts';
import * as team from '../api/team.ts';
import * as onboarding from '../api/onboarding.ts';
import * as inbound from '../api/inbound.ts';
import * as learnings from '../api/learnings.ts';
import * as invites from '../api/invites.ts';
import * as lifecycle from '../api/lifecycle.ts';
import * as mistakes from '../api/mistakes.ts';
import * as offers from '../api/offers.ts';
import * as openapi from '../api/openapi.ts';
import * as projects from '../api/projects.ts';
import * as publicApi from '../api/public.ts';
import * as regressions from '../api/regressions.ts';
import * as queue from '../api/queue.ts';
import * as session from '../api/session.ts';
import * as thresholds from '../api/thresholds.ts';
import * as webhook from '../api/webhook.ts';

const MODULES = {
  alerts,
  analytics,
  audits,
  deliveries,
  onboarding,
  changes,
  clusters,
  exports,
  team,
  guidelines,
  inbound,
  learnings,
  invites,
  lifecycle,
  mistakes,
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
