// Tests that the demo's samples are valid, varied and take every route.
import { describe, expect, it } from 'vitest';
import { projectSettings } from '../../../shared/src/schemas/projects.ts';
import { DEFAULT_SETTINGS } from '../../../shared/src/settings.ts';
import { ON_DEADLINE } from '../../../shared/src/enums.ts';
import { LIMITS } from '../../../shared/src/limits.ts';
import { submission } from '../../../shared/src/schemas/public.ts';
import { route } from '../../../server/src/domain/items/routing.ts';
import { toSubmitInput } from '../../../server/src/http/request/read-submission.ts';
import { judge, readAnswerSchema } from '../../../server/src/usecases/items/answer-schemas.ts';
import { DEMO_GUIDELINES, loadSamples, TOOL_CALLS_GUIDELINES, type Sample } from './samples.ts';

const PROJECT = '0199c0de-7a7e-7000-8000-00000000000a';
const samples = loadSamples();

describe('the demo tool calls', () => {
  const calls = loadSamples('tool_calls');

  it('are valid submissions with a title, each tool with one schema', () => {
    expect(new Set(calls.map(({ title }) => title)).size).toBe(calls.length);
    const schemas = new Map<string, Set<string>>();
    for (const sample of calls) {
      const raw = new Map(Object.entries(sample).map(([name, value]) => [name, JSON.stringify(value)]));
      expect(() => toSubmitInput(sample, raw)).not.toThrow();
      const { name } = (sample.suggestion ?? { name: 'none' }) as { name: string };
      schemas.set(name, (schemas.get(name) ?? new Set()).add(JSON.stringify(sample.answer_schema)));
    }
    expect([...schemas.keys()].sort()).toEqual(['change_address', 'delete_account', 'issue_refund', 'none']);
    for (const texts of schemas.values()) expect(texts.size).toBe(1);
  });

  it('show what needs a person: broken schemas, no suggestion, fewer actions, answers in words', () => {
    const isInvalid = ({ kind = 'answer', suggestion, answer_schema }: Sample) => {
      const schema = readAnswerSchema(JSON.stringify(answer_schema), '#');
      return judge(schema, { kind, text: JSON.stringify(suggestion) }).faults !== null;
    };
    const counts = {
      invalid: calls.filter(isInvalid).length,
      unanswered: calls.filter(({ suggestion }) => suggestion === null).length,
      untouchable: calls.filter(({ allowed_actions: allowed = [] }) => !allowed.includes('edit')).length,
      answerable: calls.filter(({ allowed_actions: allowed = [] }) => allowed.includes('respond')).length,
    };
    expect(counts).toEqual({ invalid: 7, unanswered: 4, untouchable: 2, answerable: 18 });
  });
});

describe('the demo samples', () => {
  it('are at least 60, all different, and valid submissions', () => {
    expect(samples.length).toBeGreaterThanOrEqual(60);
    expect(new Set(samples.map((sample) => JSON.stringify(sample.input))).size).toBe(samples.length);
    for (const sample of samples) {
      const body = { project_id: PROJECT, ...sample };
      expect(submission.safeParse(body).error).toBeUndefined();
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(LIMITS.itemBytes);
    }
  });

  it('take all four routes under the default thresholds (RT1-RT4), most of them to a person', () => {
    const counts = { auto_approved: 0, queued: 0, escalated: 0, rejected: 0 };
    for (const { confidence, risk_flags = [] } of samples) {
      counts[route({ confidence, risk_flags }, { ...DEFAULT_SETTINGS, stopped: false }).status] += 1;
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThanOrEqual(5);
    expect(counts.queued).toBeGreaterThan(samples.length / 2);
  });

  it('have deadlines here and there, with every effect, and minutes to decide', () => {
    const ends = [...samples, ...loadSamples('tool_calls')].filter(({ on_deadline }) => on_deadline !== undefined);
    expect(new Set(ends.map(({ on_deadline }) => on_deadline))).toEqual(new Set(ON_DEADLINE));
    for (const { deadline_seconds } of ends) expect(deadline_seconds).toBeGreaterThanOrEqual(240);
  });

  it('come in several shapes: questions, chats, tickets, JSON suggestions, flags, and always with source, model and region', () => {
    const shapes = samples.map(({ input }) => (Array.isArray(input) ? 'chat' : Object.keys(input ?? {}).join()));
    expect(new Set(shapes).size).toBeGreaterThanOrEqual(4);
    expect(samples.filter(({ suggestion }) => typeof suggestion === 'object').length).toBeGreaterThanOrEqual(8);
    const flags = new Set(samples.flatMap((sample) => sample.risk_flags ?? []));
    expect([...flags].sort()).toEqual(['escalate', 'high_value', 'legal', 'long_input', 'pii']);
    for (const { metadata } of samples) expect(Object.keys(metadata ?? {})).toEqual(['source', 'model', 'region']);
  });

  it('come with guidelines that a project accepts', () => {
    for (const text of [DEMO_GUIDELINES, TOOL_CALLS_GUIDELINES])
      expect(projectSettings.shape.guidelines.safeParse(text).success).toBe(true);
  });
});
