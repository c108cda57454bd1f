// What a process says of itself, to Prometheus and, of the way of items, to a collector of traces: what it counts as it goes, and what is looked up when it is asked.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SeenAttempt, SeenFact, SeenRequest, SeenRun } from './seen.ts';
import { type Step, stepOfAttempt, stepOfFact, stepOfRequest, type Traces } from './steps.ts';

export interface Telemetry {
  /** The page that Prometheus reads, with its content type. */
  page: () => Promise<{ type: string; text: string }>;
  request: (seen: SeenRequest) => void;
  attempt: (seen: SeenAttempt) => void;
  facts: (seen: readonly SeenFact[]) => void;
  run: (seen: SeenRun) => void;
  /** Something was refused, or somebody signed in (LG1). */
  security: (event: string) => void;
  /** Figures that are read together whenever the page is. Those that cannot be read are NaN: the others are true all the same. */
  gauges<Name extends string>(help: Record<Name, string>, read: () => Promise<Record<Name, number>>): void;
}

/** Seconds: from what the cache answers to what a slow disk takes, and the longest a request may wait for a decision. */
const ANSWERS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds: receivers are elsewhere, and have 30 of them at most. */
const POSTS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** With the process's own figures: memory, processor, garbage collection, event-loop delay, open handles. `traces`: where the way of items is told. */
export function createTelemetry(traces: Pick<Traces, 'tell'> | null = null): Telemetry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const { requests, attempts, runs, failures, security } = countersOf(register);
  const tell = (step: Step | null) => step !== null && traces?.tell(step);
  return {
    page: async () => ({ type: register.contentType, text: await register.metrics() }),
    request: (seen) => {
      const { method, route, status, seconds } = seen;
      requests.observe({ method, route, status }, seconds);
      if (traces) tell(stepOfRequest(seen, Date.now()));
    },
    attempt: (seen) => {
      attempts.observe({ outcome: seen.outcome }, seen.seconds);
      if (traces) tell(stepOfAttempt(seen, Date.now()));
    },
    facts: (seen) => {
      if (traces) for (const fact of seen) tell(stepOfFact(fact, Date.now()));
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
      help: 'POSTs of webhooks, by what came of them.',
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
      help: 'Runs of the worker’s loops that failed and are run again.',
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

/** The first one reads for all of them: a page asks every gauge in order, and waits for none before it has asked the next. */
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
