// Tests that the demo's samples are valid, varied and take every route.
import { describe, expect, it } from 'vitest';
import { projectSettings } from '../../../shared/src/schemas/projects.ts';
import { DEFAULT_SETTINGS } from '../../../shared/src/settings.ts';
import { LIMITS } from '../../../shared/src/limits.ts';
import { submission } from '../../../shared/src/schemas/public.ts';
import { route } from '../../../server/src/domain/items/routing.ts';
import { DEMO_GUIDELINES, loadSamples } from './samples.ts';

const PROJECT = '0199c0de-7a7e-7000-8000-00000000000a';
const samples = loadSamples();

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

  it('come in several shapes: questions, chats, tickets, JSON suggestions, flags, and always with source, model and region', () => {
    const shapes = samples.map(({ input }) => (Array.isArray(input) ? 'chat' : Object.keys(input ?? {}).join()));
    expect(new Set(shapes).size).toBeGreaterThanOrEqual(4);
    expect(samples.filter(({ suggestion }) => typeof suggestion === 'object').length).toBeGreaterThanOrEqual(8);
    const flags = new Set(samples.flatMap((sample) => sample.risk_flags ?? []));
    expect([...flags].sort()).toEqual(['escalate', 'high_value', 'legal', 'long_input', 'pii']);
    for (const { metadata } of samples) expect(Object.keys(metadata ?? {})).toEqual(['source', 'model', 'region']);
  });

  it('come with guidelines that a project accepts', () => {
    expect(projectSettings.shape.guidelines.safeParse(DEMO_GUIDELINES).success).toBe(true);
  });
});
