// Background load during a failure test: pipelines that submit and people who decide, until stopped.
import { setTimeout as delay } from 'node:timers/promises';
import { claimNext, decideItem } from '@countersign/shared/routes/queue';
import { aSubmission, type OpenProject } from './builders.ts';
import type { Person } from './client.ts';

/** A pipeline that lost its connection or got 503 sends the same again, after this many ms. */
const RETRY_MS = 100;
/** Statuses that a request may get while something is down, besides success. */
const RETRY_STATUSES = [409, 503];

export interface BackgroundSubmissions {
  /** The ids of what was accepted so far, one per submission. */
  readonly accepted: readonly string[];
  /** Finishes what is under way. `refused`: responses that no pipeline should get; `perSecond`: accepted submissions. */
  end(): Promise<{ accepted: string[]; refused: string[]; perSecond: number }>;
}

interface Load {
  /** Requests that are under way at any time. */
  submitters?: number;
  /** At most this many submissions per second in total. */
  perSecond?: number;
  /** Sent to this many processes in turn. */
  processes?: number;
}

/** Pipelines: every submission has a unique key, and is retried until answered. */
export function submitInBackground(project: OpenProject, load: Load = {}): BackgroundSubmissions {
  const { submitters = 8, perSecond = Infinity, processes = 1 } = load;
  const startedAt = performance.now();
  const accepted: string[] = [];
  const refused: string[] = [];
  let over = false;
  let sent = 0;
  const submitOne = async (): Promise<void> => {
    const n = (sent += 1);
    const body = JSON.stringify({ project_id: project.id, ...aSubmission() });
    for (let tries = 0; ; tries += 1) {
      const via = { idempotencyKey: `meanwhile-${n}`, process: (n + tries) % processes };
      const answer = await project.pipeline.submitRaw(body, via).catch(() => null);
      if (answer?.ok === true) return void accepted.push(answer.reply.id);
      if (answer !== null && !RETRY_STATUSES.includes(answer.status)) return void refused.push(answer.text);
      await delay(RETRY_MS);
    }
  };
  const working = Array.from({ length: submitters }, async () => {
    while (!over) {
      const early = startedAt + (sent * 1000) / perSecond - performance.now();
      if (early > 0) await delay(early);
      else await submitOne();
    }
  });
  return {
    accepted,
    end: async () => {
      over = true;
      await Promise.all(working);
      return { accepted, refused, perSecond: (accepted.length * 1000) / (performance.now() - startedAt) };
    },
  };
}

/** One person at one process, who claims the next item and approves it. `decided`: the confirmed decisions. */
export function decideInBackground(project: OpenProject, reviewer: Person, process = 0) {
  const decided: string[] = [];
  const refused: string[] = [];
  let over = false;
  const decideOne = async (): Promise<boolean> => {
    const granted = await reviewer.attempt(claimNext, { body: { project_id: project.id } }, { process });
    if (!granted.ok) return isRefusal(granted, refused);
    if (granted.reply === undefined) return false;
    const { item, fence } = granted.reply;
    const args = { params: { id: item.id }, body: { fence, action: 'approve' as const } };
    const answer = await reviewer.attempt(decideItem, args, { process });
    if (answer.ok) decided.push(item.id);
    return answer.ok || isRefusal(answer, refused);
  };
  const working = (async () => {
    while (!over) if (!(await decideOne().catch(() => false))) await delay(RETRY_MS);
  })();
  return {
    decided,
    end: async () => {
      over = true;
      await working;
      return { decided, refused };
    },
  };
}

/** Whether the failure is permanent: those are recorded. */
function isRefusal(answer: { status: number; text: string }, refused: string[]): false {
  if (!RETRY_STATUSES.includes(answer.status)) refused.push(answer.text);
  return false;
}
