// Every endpoint: each route with the schemas of the same name. Either without the other does not compile.
import { endpoint, type Endpoint } from './endpoint.ts';
import type { Route } from '../routes/route.ts';
import type { EndpointSchemas } from '../schemas/parts/endpoint-schemas.ts';
import * as alertsRoutes from '../routes/alerts.ts';
import * as analyticsRoutes from '../routes/analytics.ts';
import * as auditsRoutes from '../routes/audits.ts';
import * as changesRoutes from '../routes/changes.ts';
import * as clustersRoutes from '../routes/clusters.ts';
import * as deliveriesRoutes from '../routes/deliveries.ts';
import * as exportsRoutes from '../routes/exports.ts';
import * as guidelinesRoutes from '../routes/guidelines.ts';
import * as inboundRoutes from '../routes/inbound.ts';
import * as invitesRoutes from '../routes/invites.ts';
import * as learningsRoutes from '../routes/learnings.ts';
import * as lifecycleRoutes from '../routes/lifecycle.ts';
import * as mistakesRoutes from '../routes/mistakes.ts';
import * as offersRoutes from '../routes/offers.ts';
import * as onboardingRoutes from '../routes/onboarding.ts';
import * as openapiRoutes from '../routes/openapi.ts';
import * as previewsRoutes from '../routes/previews.ts';
import * as projectsRoutes from '../routes/projects.ts';
import * as publicRoutes from '../routes/public.ts';
import * as queueRoutes from '../routes/queue.ts';
import * as regressionsRoutes from '../routes/regressions.ts';
import * as sessionRoutes from '../routes/session.ts';
import * as teamRoutes from '../routes/team.ts';
import * as thresholdsRoutes from '../routes/thresholds.ts';
import * as webhookRoutes from '../routes/webhook.ts';
import * as alertsSchemas from '../schemas/alerts.ts';
import * as analyticsSchemas from '../schemas/analytics.ts';
import * as auditsSchemas from '../schemas/audits.ts';
import * as changesSchemas from '../schemas/changes.ts';
import * as clustersSchemas from '../schemas/clusters.ts';
import * as deliveriesSchemas from '../schemas/deliveries.ts';
import * as exportsSchemas from '../schemas/exports.ts';
import * as guidelinesSchemas from '../schemas/guidelines.ts';
import * as inboundSchemas from '../schemas/inbound.ts';
import * as invitesSchemas from '../schemas/invites.ts';
import * as learningsSchemas from '../schemas/learnings.ts';
import * as lifecycleSchemas from '../schemas/lifecycle.ts';
import * as mistakesSchemas from '../schemas/mistakes.ts';
import * as offersSchemas from '../schemas/offers.ts';
import * as onboardingSchemas from '../schemas/onboarding.ts';
import * as openapiSchemas from '../schemas/openapi.ts';
import * as previewsSchemas from '../schemas/previews.ts';
import * as projectsSchemas from '../schemas/projects.ts';
import * as publicSchemas from '../schemas/public.ts';
import * as queueSchemas from '../schemas/queue.ts';
import * as regressionsSchemas from '../schemas/regressions.ts';
import * as sessionSchemas from '../schemas/session.ts';
import * as teamSchemas from '../schemas/team.ts';
import * as thresholdsSchemas from '../schemas/thresholds.ts';
import * as webhookSchemas from '../schemas/webhook.ts';

type SchemasOf<R> = R extends Route<infer P, infer Q, infer B, infer A> ? EndpointSchemas<P, Q, B, A> : never;
type SchemasByName<Routes> = { readonly [Name in keyof Routes]: SchemasOf<Routes[Name]> };
/** The names of the endpoint schemas among the exports of a file. */
type Declared<File> = { [Name in keyof File]: File[Name] extends EndpointSchemas ? Name : never }[keyof File];

type Named = [name: string, endpoint: Endpoint];

/** The routes of a file with their schemas. Does not compile when one of the two files has a name that the other lacks. */
function joined<Routes extends Readonly<Record<string, Route>>, Schemas extends SchemasByName<Routes>>(
  routes: Routes,
  schemas: Schemas & Record<Exclude<Declared<Schemas>, keyof Routes>, never>,
): [route: Route, named: Named][] {
  return Object.entries(routes).map(([name, route]) => [
    route,
    [name, endpoint(route, schemas[name] as EndpointSchemas)],
  ]);
}

const AREAS = {
  alerts: joined(alertsRoutes, alertsSchemas),
  analytics: joined(analyticsRoutes, analyticsSchemas),
  audits: joined(auditsRoutes, auditsSchemas),
  changes: joined(changesRoutes, changesSchemas),
  clusters: joined(clustersRoutes, clustersSchemas),
  deliveries: joined(deliveriesRoutes, deliveriesSchemas),
  exports: joined(exportsRoutes, exportsSchemas),
  guidelines: joined(guidelinesRoutes, guidelinesSchemas),
  inbound: joined(inboundRoutes, inboundSchemas),
  invites: joined(invitesRoutes, invitesSchemas),
  learnings: joined(learningsRoutes, learningsSchemas),
  lifecycle: joined(lifecycleRoutes, lifecycleSchemas),
  mistakes: joined(mistakesRoutes, mistakesSchemas),
  offers: joined(offersRoutes, offersSchemas),
  onboarding: joined(onboardingRoutes, onboardingSchemas),
  openapi: joined(openapiRoutes, openapiSchemas),
  previews: joined(previewsRoutes, previewsSchemas),
  projects: joined(projectsRoutes, projectsSchemas),
  public: joined(publicRoutes, publicSchemas),
  queue: joined(queueRoutes, queueSchemas),
  regressions: joined(regressionsRoutes, regressionsSchemas),
  session: joined(sessionRoutes, sessionSchemas),
  team: joined(teamRoutes, teamSchemas),
  thresholds: joined(thresholdsRoutes, thresholdsSchemas),
  webhook: joined(webhookRoutes, webhookSchemas),
};

/** The files of shared/src/routes/ and of shared/src/schemas/ that hold endpoints. */
export const AREA_NAMES = Object.keys(AREAS);

const all = Object.values(AREAS).flat();

export const ENDPOINTS: readonly Named[] = all.map(([, named]) => named);

/** An endpoint is a route as well. */
const byRoute = new Map(
  all.flatMap(([route, [, joint]]): [Route, Endpoint][] => [
    [route, joint],
    [joint, joint],
  ]),
);

/** The endpoint of a route. Throws for a route of a file that is missing above. */
export function endpointOf<P, Q, B, R>(route: Route<P, Q, B, R>): Endpoint<P, Q, B, R> {
  const found = byRoute.get(route);
  if (found === undefined) throw new Error(`${route.method} ${route.path} has no schemas`);
  // The types of a route are those of the schemas that it was joined with.
  return found as Endpoint<P, Q, B, R>;
}
