// Tests the what-if forecast: one half of the real answers, reviewed by ground truth, predicts the other.

// Runs under SOAK=1: domain/analytics/threshold-sample.test.ts predicts from the same answers,
// integration/analytics/thresholds.test.ts reads the sample from the database.

import { beforeAll, describe, expect, it } from 'vitest';
import { readCalibration, readThresholds } from '@countersign/shared/routes/thresholds';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import { submitBatch } from '@countersign/shared/routes/public';
import { claimBulk, decideItem, listQueue } from '@countersign/shared/routes/queue';
import { predict, replay } from '@countersign/shared/statistics/what-if';
import { openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { mathAnswers, type Answer } from '../../fixtures/math-answers.ts';
import { SOAK } from '../../soak.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const answers = mathAnswers('the journey of the what-if');
const BATCH = 60;
const SETTINGS = {
  auto_threshold: 1,
  review_threshold: 0,
  below_review: 'queue' as const,
  escalate_flags: ['high_value'],
  audit_rate: 1,
};

describe.runIf(SOAK && answers !== null)('AN24: half of 2,640 real answers, reviewed by ground truth', () => {
  const testEnv = useSharedTestEnvironment();
  const all = answers ?? [];
  const halves = { seen: all.slice(0, all.length / 2), other: all.slice(all.length / 2) };
  let owner: Person;
  let project: OpenProject;
  let sample: ThresholdSample;

  /** Submits in order, as a pipeline does, and returns each item's id. */
  async function submit(lines: Answer[]): Promise<Map<string, Answer>> {
    const ids = new Map<string, Answer>();
    for (let at = 0; at < lines.length; at += BATCH) {
      const part = lines.slice(at, at + BATCH);
      const items = part.map(({ line }) => ({ ...(JSON.parse(line) as object), project_id: project.id }));
      const { results } = await project.pipeline.call(submitBatch, { body: { items } });
      results.forEach((result, place) => 'id' in result && part[place] && ids.set(result.id, part[place]));
    }
    return ids;
  }

  /** Approves correct answers and edits wrong ones, until no item is queued. */
  async function reviewAll(ids: Map<string, Answer>): Promise<void> {
    for (;;) {
      const query = { project_id: project.id, view: 'all', limit: 100 } as const;
      const { data } = await owner.call(listQueue, { query });
      if (data.length === 0) return;
      const body = { project_id: project.id, item_ids: data.map(({ id }) => id) };
      const claims = await owner.call(claimBulk, { body });
      // Decisions of one project are stored one after the other: a hundred at once wait too long on a slow machine, and get 503.
      while (claims.data.length > 0)
        await Promise.all(claims.data.splice(0, 10).map((claimed) => decideOne(ids, claimed)));
    }
  }

  async function decideOne(ids: Map<string, Answer>, claimed: { item: { id: string }; fence: number }): Promise<void> {
    const { fence, item } = claimed;
    const edited = { action: 'edit', output: 'As the reference says.', reason: 'Wrong fact' } as const;
    const verdict = ids.get(item.id)?.right ? ({ action: 'approve' } as const) : edited;
    await owner.call(decideItem, { params: { id: item.id }, body: { fence, ...verdict } });
  }

  beforeAll(async () => {
    owner = await person(testEnv);
    project = await openProject(owner, { settings: SETTINGS });
    await reviewAll(await submit(halves.seen));
    sample = await owner.call(readThresholds, { params: { id: project.id } });
  }, 240_000);

  it('predicts the other half within its intervals, over a grid of thresholds', () => {
    expect(sample).toMatchObject({ arrivals: { n: 1320, limited: false }, decisions: { n: 1320, limited: false } });
    expect(sample.median).toMatchObject({ n: 500, seconds: expect.any(Number) as number });
    const of = replay(sample, new Set(sample.flags.flatMap(({ escalates }, place) => (escalates ? [place] : []))));
    for (let auto = 0; auto <= 1; auto += 0.05) {
      const got = predict(of, { auto, review: 0, below: 'queue' });
      const passed = halves.other.filter(
        ({ confidence, flags }) => confidence >= auto && !flags.includes('high_value'),
      );
      const wrong = passed.filter(({ right }) => !right).length;
      const inside = (interval: { low: number; high: number } | null | undefined, value: number) => {
        expect(value, `at ${auto}`).toBeGreaterThanOrEqual(interval?.low ?? Infinity);
        expect(value, `at ${auto}`).toBeLessThanOrEqual(interval?.high ?? -Infinity);
      };
      expect(got?.unreviewed).toBe(0);
      inside(got?.automatic, passed.length);
      inside(got?.wrong, wrong);
      inside(got?.rate, wrong / passed.length);
    }
  });

  it('AN22: the bins of the reliability diagram equal a separate count', async () => {
    const { uniform } = await owner.call(readCalibration, { params: { id: project.id } });
    const counted = [0, 0.25, 0.5, 0.75, 1].flatMap((confidence) => {
      const of = halves.seen.filter((answer) => answer.confidence === confidence);
      const bins = [of.filter(({ flags }) => flags.includes('high_value') || confidence < 1)];
      if (confidence === 1) bins.push(of.filter(({ flags }) => !flags.includes('high_value')));
      return bins.map((bin, audit) => ({
        audit: audit === 1,
        low: Math.min(confidence, 0.95),
        n: bin.length,
        unchanged: bin.filter(({ right }) => right).length,
        confidence_sum: confidence * bin.length,
      }));
    });
    expect(uniform.map(({ high: _, ...bin }) => bin)).toEqual(counted.filter(({ n }) => n > 0));
  });
});
