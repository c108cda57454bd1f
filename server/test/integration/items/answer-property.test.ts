// Tests by property that every output that leaves the service satisfies its schema, through any steps (TS2).
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '@countersign/shared/enums';
import { jsonText, type Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { schemasWithValues } from '@countersign/shared/json-schema/json-schema.fixture';
import { exportLearnings } from '@countersign/shared/routes/exports';
import { listAnswers } from '@countersign/shared/routes/projects';
import { listEvents, listItems } from '@countersign/shared/routes/public';
import {
  claimBulk,
  claimItem,
  decideItem,
  readQueueItem,
  reviseItem,
  undoDecision,
} from '@countersign/shared/routes/queue';
import { REVISION_ACTIONS } from '@countersign/shared/review-actions';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Answer, type Person } from '../../client.ts';
import { scaled } from '../../soak.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import { serve, type Served } from '../support/http-server.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
/** The owner, who also revises; and a reviewer. */
let owner: Person;
let anna: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  [owner, anna] = [await person(served.testEnv), await person(served.testEnv)];
});
afterAll(async () => {
  await served.close();
  await expectNoFaults(inside);
});

const DECISIONS = ['approve', 'edit', 'reject', 'respond', 'escalate'] as const;
/** `answer`: the place of the output in the pool of the case. `pass`: undo windows end, and what is decided is final. */
type Step =
  | { do: 'decide'; action: (typeof DECISIONS)[number]; answer: number; bulk: boolean }
  | { do: 'revise'; action: (typeof REVISION_ACTIONS)[number]; answer: number }
  | { do: 'undo' }
  | { do: 'pass' };

/** One item: its schema, answers of which some satisfy it, and what happens to it. */
interface Case {
  schema: Json;
  kind: 'answer' | 'tool_call';
  answers: Json[];
  /** The place of the suggestion among the answers; null where a person writes the answer. */
  suggestion: number | null;
  confidence: 0.8 | 0.99;
  /** The schema is the setting of the project, which changes afterwards. */
  ofProject: boolean;
  undoSeconds: 0 | 30;
  steps: Step[];
}

const place = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      action: fc.constantFrom(...DECISIONS),
      answer: place,
      bulk: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('revise' as const),
      action: fc.constantFrom(...REVISION_ACTIONS),
      answer: place,
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom({ do: 'undo' as const }, { do: 'pass' as const }) },
);

const anyValues = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 3 });
const cases: fc.Arbitrary<Case> = fc
  .record({
    typed: schemasWithValues,
    others: fc.tuple(schemasWithValues, anyValues).map(([{ values }, any]) => [...values, ...(any as Json[])]),
    kind: fc.constantFrom('answer' as const, 'tool_call' as const),
    suggestion: fc.option(place, { freq: 6 }),
    confidence: fc.constantFrom(0.8 as const, 0.99 as const),
    ofProject: fc.boolean(),
    undoSeconds: fc.constantFrom(0 as const, 30 as const),
    steps: fc.array(step, { maxLength: 7 }),
  })
  .map(({ typed, others, ...rest }) => ({
    ...rest,
    schema: rest.kind === 'answer' ? typed.schema : argumentsSchema(typed.schema),
    answers: [...typed.values, ...others].map((value) => (rest.kind === 'answer' ? value : callOf(value))),
  }));

/** A schema of one argument, and a call with it. */
const argumentsSchema = (schema: Json): Json => ({
  $defs: { of: true, ...(schema as { $defs?: object }).$defs },
  properties: { value: { $ref: '#/$defs/of' } },
  required: ['value'],
  additionalProperties: false,
});
const callOf = (value: Json): Json => ({ name: 'act', arguments: { value } });

/** Short words satisfy it: the second answer does not. */
const SHORT: Pick<Case, 'schema' | 'kind' | 'answers' | 'ofProject'> = {
  ...{ schema: { type: 'string', maxLength: 3 }, kind: 'answer', ofProject: false },
  answers: ['yes', 'much too long', 'no'],
};
const GOOD = 0;
const BAD = 1;
const OTHER = 2;
const decided = (action: (typeof DECISIONS)[number], answer = GOOD, bulk = false): Step => ({
  ...{ do: 'decide', action, answer, bulk },
});
const revised = (action: (typeof REVISION_ACTIONS)[number], answer = GOOD): Step => ({ do: 'revise', action, answer });
type Place = 'webhook' | 'feed' | 'list' | 'item' | (typeof EXPORT_FORMATS)[number];
/** The outputs that leave, in order, by the place where they do. */
type Leaves = Partial<Record<Place, Json[]>>;
const at = (places: readonly Place[], ...outputs: Json[]): Leaves =>
  Object.fromEntries(places.map((one) => [one, outputs]));
const TOLD = ['webhook', 'feed', 'list', 'item'] as const;
const everywhere = (output: Json): Leaves => at([...TOLD, ...EXPORT_FORMATS], output);
const certain = (title: string, leaves: Leaves, more: Partial<Case>): [string, Leaves, Case] => [
  ...([title, leaves] as const),
  { ...SHORT, suggestion: GOOD, confidence: 0.8, undoSeconds: 0, steps: [], ...more },
];
/** Each way out, with an answer that must not take it and one that may. */
const CERTAIN: [string, Leaves, Case][] = [
  certain('a confident suggestion that does not fit', everywhere('no'), {
    ...{ suggestion: BAD, confidence: 0.99 },
    steps: [decided('approve'), decided('edit', OTHER)],
  }),
  certain('what is decided in bulk', everywhere('yes'), {
    ...{ suggestion: BAD },
    steps: [decided('approve', GOOD, true), decided('edit', GOOD, true)],
  }),
  certain('an edit', everywhere('no'), { steps: [decided('edit', BAD), decided('edit', OTHER)] }),
  // An approval teaches nothing.
  certain('an approval under the schema of the project', at(TOLD, 'yes'), {
    ...{ ofProject: true },
    steps: [decided('edit', BAD), decided('approve')],
  }),
  // There is nothing that it is preferred to.
  certain('an answer without a suggestion', at([...TOLD, 'raw', 'chat', 'eval'], 'yes'), {
    ...{ suggestion: null },
    steps: [decided('edit', BAD), decided('edit', GOOD)],
  }),
  certain('the decision after one that was undone', everywhere('no'), {
    ...{ suggestion: BAD, undoSeconds: 30 },
    steps: [decided('edit', GOOD), { do: 'undo' }, decided('approve'), decided('edit', OTHER), { do: 'pass' }],
  }),
  certain(
    'each revision of an approval',
    { ...at(['webhook', 'feed'], 'yes', 'no', null), item: [null, 'no', 'yes'], ...at(['list', 'raw'], null) },
    { steps: [decided('approve'), revised('edit', BAD), revised('edit', OTHER), revised('reject')] },
  ),
  certain(
    'the revision of a rejection',
    { ...everywhere('yes'), ...at(['webhook', 'feed'], null, 'yes'), item: ['yes', null] },
    { suggestion: BAD, steps: [decided('reject'), revised('approve'), revised('edit', BAD), revised('edit')] },
  ),
  // An automatic approval, which is audited: its verdict is an answer as well, which the pipeline is not told.
  certain(
    'the verdict of an audit',
    { ...at(['feed', 'list'], 'yes'), ...at(['item', ...EXPORT_FORMATS], 'no') },
    { confidence: 0.99, steps: [decided('edit', BAD), decided('edit', OTHER), revised('edit', BAD)] },
  ),
  certain('the call of a tool', everywhere(callOf('no')), {
    ...{ kind: 'tool_call', schema: argumentsSchema({ $defs: { of: SHORT.schema } }) },
    answers: SHORT.answers.map(callOf),
    steps: [decided('edit', BAD), decided('edit', OTHER), revised('edit', BAD)],
  }),
];

async function openFor({ ofProject, schema, undoSeconds }: Case): Promise<OpenProject> {
  const settings = {
    ...{ webhook_url: 'http://127.0.0.1:9090/', audit_rate: 1, undo_window_seconds: undoSeconds },
    ...(ofProject && { answer_schema: schema as never }),
  };
  const project = await openProject(owner, { settings });
  await join(project, anna);
  return project;
}

/** A refusal is no failure: what matters is what leaves. */
function refusable<R>(answer: Answer<R>): R | null {
  if (answer.ok) return answer.reply;
  expect(answer.status, answer.text).toBeLessThan(500);
  return null;
}

async function submit(project: OpenProject, one: Case): Promise<string | null> {
  const { schema, ofProject, suggestion, kind, confidence } = one;
  const body = {
    ...{ project_id: project.id, input: 'A question', confidence },
    suggestion: suggestion === null ? null : answerAt(one, suggestion),
    ...(kind === 'tool_call' && { kind }),
    ...(!ofProject && { answer_schema: schema }),
    allowed_actions: ['approve', 'edit', 'reject', 'respond'],
  };
  return refusable(await project.pipeline.submitRaw(jsonText(body)))?.id ?? null;
}

const answerAt = ({ answers }: Case, at: number): Json => answers[at % answers.length] ?? null;

/** The reviewer claims it, or the owner what is escalated or claimed in bulk. */
async function fenceOf(project: OpenProject, id: string, bulk: boolean): Promise<[Person, number] | null> {
  if (bulk) {
    const body = { project_id: project.id, item_ids: [id] };
    const granted = refusable(await owner.attempt(claimBulk, { body }))?.data[0];
    return granted === undefined ? null : [owner, granted.fence];
  }
  for (const who of [anna, owner]) {
    const granted = refusable(await who.attempt(claimItem, { params: { id } }));
    if (granted !== null) return [who, granted.fence];
  }
  return null;
}

async function take(project: OpenProject, id: string, one: Case, each: Step): Promise<void> {
  const params = { id };
  if (each.do === 'undo') return void refusable(await anna.attempt(undoDecision, { params }));
  if (each.do === 'pass') {
    await inside.sql(`update decision set undo_until = now() - interval '1 ms' where item_id = ?`, [id]);
    while ((await finalizeOnce(inside.services)).again);
    return;
  }
  const { action } = each;
  const output = action === 'edit' ? { output: answerAt(one, each.answer) } : {};
  if (each.do === 'revise') {
    const body = { action, reason: 'Looked again', ...output };
    return void refusable(await owner.attempt(reviseItem, { params, body: body as never }));
  }
  const held = await fenceOf(project, id, each.bulk);
  if (held === null) return;
  const [who, fence] = held;
  const words = action === 'respond' ? { response: 'In words' } : action === 'approve' ? {} : { reason: 'Wrong fact' };
  refusable(await who.attempt(decideItem, { params, body: { fence, action, ...words, ...output } }));
}

/** Every output in a value, at any depth: of decisions, of what was revised, and of lists. */
function outputsIn(value: unknown, found: Json[] = []): Json[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, member] of Object.entries(value))
    if (key === 'output' && 'action' in value) found.push(member as Json);
    else if (!['suggestion', 'input', 'answer_schema', 'metadata'].includes(key)) outputsIn(member, found);
  return found;
}

interface Message {
  content?: string | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

/** The answer of a training message; a text may be a string itself, or spell another value. */
function spelledBy({ content, tool_calls: calls }: Message, { kind }: Case, fits: (output: Json) => boolean): Json {
  const [call] = calls ?? [];
  if (call !== undefined) return { name: call.function.name, arguments: exactJson(call.function.arguments) };
  const text = content ?? 'null';
  return kind === 'answer' && (fits(text) || !isJson(text)) ? text : exactJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The outputs of a learning's line, by format. */
function outputsOfLine(line: string, one: Case, fits: (output: Json) => boolean): Json[] {
  const learning = exactJson(line) as {
    output?: Json;
    expected?: Json;
    messages?: Message[];
    preferred_output?: Message[];
  };
  const message = learning.messages?.at(-1) ?? learning.preferred_output?.[0];
  return [
    ...(learning.output === undefined ? [] : [learning.output]),
    ...(learning.expected === undefined ? [] : [learning.expected]),
    ...(message === undefined ? [] : [spelledBy(message, one, fits)]),
  ];
}

/** Everything that the project has let out, with the place where it was found. */
async function leftFrom(project: OpenProject, id: string, one: Case, fits: (output: Json) => boolean) {
  await relayAll(inside);
  const read = { params: { id } };
  const bodies = await inside.sql<{ body: string }>('select body from delivery where item_id = ? order by seq', [id]);
  const found: [string, Json[]][] = bodies.map(({ body }) => ['webhook', outputsIn(exactJson(body))]);
  const pages = {
    feed: await project.pipeline.attempt(listEvents),
    list: await project.pipeline.attempt(listItems),
    item: await owner.attempt(readQueueItem, read),
    answers: await owner.attempt(listAnswers, { params: { id: project.id } }),
  };
  for (const [name, { text }] of Object.entries(pages)) found.push([name, outputsIn(exactJson(text))]);
  for (const format of EXPORT_FORMATS) {
    const { text } = await owner.attempt(exportLearnings, { params: { id: project.id }, query: { format } });
    for (const line of text.split('\n').slice(0, -1)) found.push([format, outputsOfLine(line, one, fits)]);
  }
  return found.flatMap(([where, outputs]) => outputs.map((output) => ({ where, output })));
}

function judgeOf({ schema, kind }: Case): (output: Json) => boolean {
  const compiled = compileSchema(jsonText(schema));
  if (!compiled.ok) throw new Error('The schema is one that the service refuses.');
  return (output) => {
    if (kind === 'answer') return validate(compiled.schema, output).length === 0;
    const { name, arguments: given } = output as { name: string; arguments: Json };
    return name === 'act' && validate(compiled.schema, given).length === 0;
  };
}

/** Does all that the case says; an item that is refused lets nothing out. */
async function run(one: Case) {
  const fits = judgeOf(one);
  const project = await openFor(one);
  const id = await submit(project, one);
  if (id === null) return { left: [], fits };
  for (const each of one.steps) await take(project, id, one, each);
  await take(project, id, one, { do: 'pass' });
  return { left: await leftFrom(project, id, one, fits), fits };
}

describe('TS2: an output that leaves the service', () => {
  it(
    'satisfies its schema: in webhooks, the feed, lists, pages and exports, through every way to decide',
    { timeout: scaled(120_000, 1_800_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (one) => {
          const { left, fits } = await run(one);
          expect(left.filter(({ output }) => output !== null && !fits(output))).toEqual([]);
        }),
        { seed: 29, numRuns: scaled(10, 500), endOnFailure: true },
      );
    },
  );

  it.each(CERTAIN)('is one that fits, and each of those: %s', { timeout: 60_000 }, async (_, leaves, one) => {
    const { left } = await run(one);
    const found = Map.groupBy(left, ({ where }) => where);
    const byPlace = [...found].map(([where, all]) => [
      where,
      all.map(({ output }) => JSON.parse(jsonText(output)) as Json),
    ]);
    expect(Object.fromEntries(byPlace)).toEqual(leaves);
  });
});
