// A thread that acts as another tenant: submits at a steady rate, requests `/healthz`, and reports the latencies.
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export interface MeterOrder {
  url: string;
  apiKey: string;
  projectId: string;
  /** How long it measures. */
  ms: number;
}

export interface Measured {
  /** Of the submissions, in milliseconds, from the moment each was due. */
  p99: number;
  slowestHealth: number;
  sent: number;
  /** The failures, in words. */
  failed: string[];
}

const SUBMIT_EVERY_MS = 50;
const HEALTH_EVERY_MS = 200;
/** A slower response counts as failed. */
const HANG_MS = 15_000;

/** Sends at fixed times, however slow the responses are; a slow service does not get fewer requests. */
async function ask(order: MeterOrder, everyMs: number, question: () => Promise<Response>) {
  const took: number[] = [];
  const failed: string[] = [];
  const answers: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n * everyMs < order.ms; n += 1) {
    const due = start + n * everyMs;
    await delay(Math.max(0, due - performance.now()));
    const note = async () => {
      const response = await question();
      await response.arrayBuffer();
      took.push(performance.now() - due);
      if (!response.ok) failed.push(`answered ${response.status}`);
    };
    answers.push(note().catch((error: unknown) => void failed.push(String(error))));
  }
  await Promise.all(answers);
  return { took: took.sort((a, b) => a - b), failed };
}

async function measure(order: MeterOrder): Promise<Measured> {
  const signal = () => AbortSignal.timeout(HANG_MS);
  const body = JSON.stringify({
    project_id: order.projectId,
    input: { question: 'Does anybody notice?' },
    suggestion: 'Nobody does.',
    confidence: 0.8,
  });
  const headers = { 'content-type': 'application/json', 'x-api-key': order.apiKey };
  const submit = () => fetch(`${order.url}/api/public/items`, { method: 'POST', headers, body, signal: signal() });
  const health = () => fetch(`${order.url}/healthz`, { signal: signal() });
  const [submitted, healthy] = await Promise.all([
    ask(order, SUBMIT_EVERY_MS, submit),
    ask(order, HEALTH_EVERY_MS, health),
  ]);
  const { took } = submitted;
  return {
    p99: took[Math.ceil(took.length * 0.99) - 1] ?? Infinity,
    slowestHealth: healthy.took.at(-1) ?? Infinity,
    sent: took.length,
    failed: [...submitted.failed, ...healthy.failed],
  };
}

parentPort?.postMessage(await measure(workerData as MeterOrder));
