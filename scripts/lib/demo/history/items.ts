// Makes the items of the demo’s history: which model wrote them, how sure it was, and what is wrong with them.
import type { SubmitInput } from '../../../../server/src/usecases/items/new-item.ts';
import type { DemoArea, DemoPerson } from './people.ts';
import { LISTED_REASONS, NAMES, REASONS, THINGS, TOPICS, type Fault } from './texts.ts';

/** What is known of an item beside what is submitted. */
export interface Truth {
  /** Null: the suggestion is right. */
  readonly fault: Fault | null;
  /** The right answer, as JSON text. */
  readonly right: string;
}

export interface MadeItem {
  readonly submission: SubmitInput;
  readonly truth: Truth;
}

interface Model {
  readonly name: string;
  /** The share of items that it answers. */
  readonly share: number;
  /** The share of wrong answers. */
  readonly wrong: number;
  /** The same in the last days. */
  readonly drifted?: number;
}

const MODELS: Readonly<Record<DemoArea, readonly Model[]>> = {
  answers: [
    { name: 'reply-large-1', share: 0.45, wrong: 0.07 },
    { name: 'reply-small-2', share: 0.55, wrong: 0.11, drifted: 0.42 },
  ],
  refunds: [{ name: 'refund-agent-3', share: 1, wrong: 0.14 }],
  posts: [{ name: 'post-guard-1', share: 1, wrong: 0.16 }],
};
const SOURCES: Readonly<Record<DemoArea, readonly string[]>> = {
  answers: ['email', 'chat', 'chat', 'app', 'webform'],
  refunds: ['webform', 'email'],
  posts: ['community'],
};
const REGIONS = ['eu-west', 'eu-west', 'eu-north'];
/** The model that drifts began to do so this many days before the end. */
const DRIFT_DAYS = 7;

type Random = () => number;

/** One of the list. */
function pick<T>(list: readonly T[], random: Random): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('An empty list has nothing to pick.');
  return found;
}

/** One of the list, each as often as its weight. */
function pickWeighted<T>(list: readonly T[], weightOf: (each: T) => number, random: Random): T {
  let left = random() * list.reduce((sum, each) => sum + weightOf(each), 0);
  const found = list.find((each) => (left -= weightOf(each)) < 0) ?? list.at(-1);
  if (found === undefined) throw new Error('An empty list has nothing to pick.');
  return found;
}

/** The next item of a project. `daysAgo`: whole days before the end of the history. */
export function makeItem(area: DemoArea, daysAgo: number, random: Random): MadeItem {
  const model = pickWeighted(MODELS[area], ({ share }) => share, random);
  const drifts = model.drifted !== undefined && daysAgo < DRIFT_DAYS;
  const isWrong = random() < (drifts ? (model.drifted ?? 0) : model.wrong);
  // What drifted most is what it remembers of the old policy.
  const topics =
    drifts && isWrong && random() < 0.6 ? TOPICS[area].filter(({ fault }) => fault === 'window') : TOPICS[area];
  const topic = pickWeighted(topics, ({ weight = 1 }) => weight, random);
  const fill = fillerOf(random);
  const ask = fill(pick(topic.asks, random));
  const input = inputOf(area, ask, fill);
  const metadata = { source: pick(SOURCES[area], random), model: model.name, region: pick(REGIONS, random) };
  return {
    submission: {
      input: { value: input, raw: JSON.stringify(input) },
      suggestion: { raw: JSON.stringify(fill(isWrong ? topic.wrong : topic.right)) },
      metadata: { value: metadata, raw: JSON.stringify(metadata) },
      confidence: confidenceOf({ isWrong, drifts }, random),
      riskFlags: [...(topic.flags ?? [])],
    },
    truth: { fault: isWrong ? topic.fault : null, right: JSON.stringify(fill(topic.right)) },
  };
}

function fillerOf(random: Random): (text: string) => string {
  const values: Record<string, string> = {
    name: pick(NAMES, random),
    order: `BM-${18_000 + Math.floor(random() * 4000)}`,
    thing: pick(THINGS, random),
    days: String(3 + Math.floor(random() * 24)),
    amount: (12 + Math.floor(random() * 4000) / 20).toFixed(2),
  };
  return (text) => text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

function inputOf(area: DemoArea, ask: string, fill: (text: string) => string): Record<string, unknown> {
  if (area === 'answers') return { question: ask, order: fill('{order}') };
  if (area === 'posts') return { post: ask, board: 'Home and garden' };
  return { message: ask, order: { id: fill('{order}'), total: Number(fill('{amount}')), currency: 'EUR' } };
}

/** Wrong answers look less sure, those of the drifted model hardly. */
function confidenceOf({ isWrong, drifts }: { isWrong: boolean; drifts: boolean }, random: Random): number {
  const [low, high, bend] = isWrong ? (drifts ? [0.74, 0.99, 1] : [0.62, 0.97, 1]) : [0.72, 0.999, 0.12];
  return Math.round((low + (high - low) * random() ** bend) * 1000) / 1000;
}

/** What a person makes of an item. */
export interface Verdict {
  readonly action: 'approve' | 'edit' | 'reject';
  readonly reason: string | null;
  readonly output: { value: unknown; raw: string } | null;
  /** How long they looked at it, in seconds. */
  readonly seconds: number;
}

/** The share of overrides whose reason is one of the project's list; the others are typed. */
const LISTED_SHARE = 0.4;

function reasonFor(fault: Fault, random: Random): string {
  if (random() < LISTED_SHARE) return LISTED_REASONS[fault];
  const words = REASONS[fault];
  return random() < 0.55 ? words[0] : pick(words, random);
}

/** What this person decides, with their habits. */
export function verdictOf(
  { fault, right }: Truth,
  suggestion: string,
  of: { person: DemoPerson; random: Random },
): Verdict {
  const { person, random } = of;
  const look = person.pace * (0.55 + random() * 0.9);
  if (fault === null) {
    if (random() >= person.fussy) return { action: 'approve', reason: null, output: null, seconds: look };
    const friendlier = withGreeting(suggestion);
    return { action: 'edit', reason: reasonFor('tone', random), output: friendlier, seconds: look * 1.8 };
  }
  if (random() >= person.notices || right === suggestion)
    return { action: 'approve', reason: null, output: null, seconds: look * 0.7 };
  const reason = reasonFor(fault, random);
  if (random() < person.rejects) return { action: 'reject', reason, output: null, seconds: look * 1.2 };
  return { action: 'edit', reason, output: { value: JSON.parse(right), raw: right }, seconds: look * 2.1 };
}

function withGreeting(suggestion: string): { value: unknown; raw: string } {
  const value = `${String(JSON.parse(suggestion))} Is there anything else that I can do for you?`;
  return { value, raw: JSON.stringify(value) };
}
