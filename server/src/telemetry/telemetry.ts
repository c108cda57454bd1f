// The telemetry of a process: metrics for Prometheus, counted or read on request, and traces of items for a collector.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AttemptObservation, EventObservation, RequestObservation, RunObservation } from './observations.ts';
import { type Step, stepOfAttempt, stepOfEvent, stepOfRequest, type Traces } from './steps.ts';

export interface Telemetry {
  /** The metrics page for Prometheus, with its content type. */
  page: () => Promise<{ type: string; text: string }>;
  request: (observed: RequestObservation) => void;
  attempt: (observed: AttemptObservation) => void;
  events: (observed: readonly EventObservation[]) => void;
  run: (observed: RunObservation) => void;
  /** A refusal or a sign-in (LG1). */
  security: (event: string) => void;
  /**
   * Gauges that are read together on every request for the page. A failed read gives NaN, so that the others are still
   * reported.
   */
  gauges<Name extends string>(help: Record<Name, string>, read: () => Promise<Record<Name, number>>): void;
}

/** Seconds: from a cached response to a slow disk, and the longest wait for a decision. */
const ANSWERS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: receivers are remote, and have 30 of them at most. */
const POSTS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Includes the process metrics: memory, CPU, garbage collection, event-loop delay, open handles. `traces` receives the
 * steps of items.
 */
export function createTelemetry(traces: Pick<Traces, 'send'> | null = null): Telemetry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const { requests, attempts, runs, failures, security } = countersOf(register);
  const send = (step: Step | null) => step !== null && traces?.send(step);
  return {
    page: async () => ({ type: register.contentType, text: await register.metrics() }),
    request: (observed) => {
      const { method, route, status, seconds } = observed;
      requests.observe({ method, route, status }, seconds);
      if (traces) send(stepOfRequest(observed, Date.now()));
    },
    attempt: (observed) => {
      attempts.observe({ outcome: observed.outcome }, observed.seconds);
      if (traces) send(stepOfAttempt(observed, Date.now()));
    },
    events: (observed) => {
      if (traces) for (const event of observed) send(stepOfEvent(event, Date.now()));
    },
    run: ({ loop, failed, seconds }) => {
      runs.observe({ loop }, seconds);
      if (failed) failures.inc({ loop });
    },
    security: (event) => security.inc({ event }),
    gauges: (help, read) => addGauges(register, help, read),
  };
}

function countersOf(register: Registry) {
  const registers = [register];
  return {
    requests: new Histogram({
      name: 'countersign_http_request_duration_seconds',
      help: 'Requests that were answered, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      ...{ buckets: ANSWERS, registers },
    }),
    attempts: new Histogram({
      name: 'countersign_delivery_attempt_duration_seconds',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      ...{ buckets: POSTS, registers },
    }),
    runs: new Histogram({
      name: 'countersign_loop_run_duration_seconds',
      help: 'Runs of the worker’s loops.',
      labelNames: ['loop'],
      ...{ buckets: ANSWERS, registers },
    }),
    failures: new Counter({
      name: 'countersign_loop_failures_total',
      help: 'Failed runs of the worker’s loops; each is retried.',
      labelNames: ['loop'],
      registers,
    }),
    security: new Counter({
      name: 'countersign_security_events_total',
      help: 'Refusals by kind (origin, session, role, project, key, signature), and sign-ins that succeeded or failed.',
      labelNames: ['event'],
      registers,
    }),
  };
}

/**
 * The first gauge reads for all of them: a page calls every gauge in order, and awaits none before it has called the
 * next.
 */
function addGauges<Name extends string>(
  register: Registry,
  help: Record<Name, string>,
  read: () => Promise<Record<Name, number>>,
): void {
  const names = Object.keys(help) as Name[];
  let reading: Promise<Record<Name, number> | null> | null = null;
  const readOnce = () =>
    (reading ??= read()
      .catch(() => null)
      .finally(() => (reading = null)));
  for (const name of names) {
    new Gauge({
      name,
      help: help[name],
      registers: [register],
      async collect() {
        this.set((await readOnce())?.[name] ?? NaN);
      },
    });
  }
}
