// Tests that answer schemas, and what they say of suggestions, are deleted with their items (KE2, KE4).
import { describe, expect, it } from 'vitest';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { readThresholds } from '../../../src/usecases/analytics/read-thresholds.ts';
import { readAnswerSchema } from '../../../src/usecases/items/answer-schemas.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { anItem, review } from '../support/project-fixture.ts';
import { DAY_MS, settle, tablesContaining, useRetentionFixture } from './retention-fixture.ts';

const { testEnv, now, days, pass, mark, setExcluded } = useRetentionFixture();

const schemaOf = (text: string) => readAnswerSchema(text, '#');
const digests = async () => {
  const rows = await testEnv.sql<{ digest: string }>('select digest from answer_schema where project_id = ?', [
    now.fixture.projectId,
  ]);
  return rows.map(({ digest }) => digest);
};

describe('the schema of an item past its retention period', () => {
  it.each(['retention_payload_days', 'retention_item_days'] as const)(
    'KE2, KE4: is deleted together with the faults that name it (%s)',
    async (name) => {
      await days({ [name]: 30 });
      const answerSchema = schemaOf(JSON.stringify({ properties: { [mark('schema')]: { const: mark('constant') } } }));
      const suggestion = { raw: JSON.stringify({ [mark('schema')]: 1 }) };
      const { id } = await anItem(testEnv.services, now.fixture, { answerSchema, suggestion, confidence: 1 });
      await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'reject' });
      await settle(testEnv);
      await setExcluded(id);
      expect(await tablesContaining(testEnv, mark('schema'))).toContain('answer_schema');
      await pass(31);
      expect(await tablesContaining(testEnv, mark('schema'))).toEqual([]);
      expect(await tablesContaining(testEnv, mark('constant'))).toEqual([]);
    },
  );

  it('KE2, LC8: so are its title and the words of its response, in every table', async () => {
    await days({ retention_payload_days: 30 });
    const { anna } = now.fixture;
    const given = { title: mark('title'), allowedActions: ['respond' as const] };
    const { id } = await anItem(testEnv.services, now.fixture, given);
    await review(testEnv.services, anna, { itemId: id, action: 'respond', response: mark('response') });
    await settle(testEnv);
    await setExcluded(id);
    expect(await tablesContaining(testEnv, mark('title'))).toContain('event');
    expect(await tablesContaining(testEnv, mark('response'))).toContain('learning');
    await pass(31);
    expect(await tablesContaining(testEnv, mark('title'))).toEqual([]);
    expect(await tablesContaining(testEnv, mark('response'))).toEqual([]);
  });

  it.each(['retention_payload_days', 'retention_item_days'] as const)(
    'AN31: the misfits that learnings quote stay, so that only later arrivals are counted, and the report says since when (%s)',
    async (name) => {
      await days({ [name]: 30 });
      const { projectId, anna, owner } = now.fixture;
      const answerSchema = schemaOf('{"type":"string"}');
      const arrives = async (suggestion: string, action: 'approve' | 'edit') => {
        const { id } = await anItem(testEnv.services, now.fixture, { answerSchema, suggestion: { raw: suggestion } });
        await review(testEnv.services, anna, { itemId: id, action });
      };
      const figures = async (lastDays: number) => {
        const from = new Date(testEnv.clock.now().getTime() - lastDays * DAY_MS);
        const query = { projectId, from, to: undefined, bucket: 'day' as const };
        const { invalid, invalid_since: since } = await readAnalytics(testEnv.services, owner, query);
        return { figures: invalid.map(({ judged, invalid: broken }) => [judged, broken]), since };
      };
      await arrives('"fits"', 'approve');
      await arrives('7', 'edit');
      await arrives('"fits"', 'approve');
      await settle(testEnv);
      expect(await figures(60)).toEqual({ figures: [[3, 1]], since: null });
      await pass(31);
      const { figures: left, since } = await figures(60);
      expect(left).toEqual([]);
      expect(testEnv.clock.now().getTime() - Date.parse(since ?? '')).toBeGreaterThan(30 * DAY_MS);
      await arrives('"fits"', 'approve');
      expect(await figures(60)).toEqual({ figures: [[1, 0]], since });
      expect(await figures(1)).toEqual({ figures: [[1, 0]], since: null });
    },
  );

  it('KE2: stays while another item or the project names it', async () => {
    await days({ retention_payload_days: 30 });
    const { projectId, owner, anna } = now.fixture;
    const [ofProject, ofItems] = ['{"title":"p"}', '{"title":"i"}'].map(schemaOf);
    const [project] = await testEnv.sql<{ version: number }>(
      'select settings_version as version from project where id = ?',
      [projectId],
    );
    const changes = { answer_schema: ofProject?.text ?? null };
    await changeSettings(testEnv.services, owner, { projectId, settingsVersion: project?.version ?? 0, changes });
    for (const given of [{}, ofItems && { answerSchema: ofItems }]) {
      const { id } = await anItem(testEnv.services, now.fixture, given);
      await review(testEnv.services, anna, { itemId: id, action: 'approve' });
    }
    const waiting = await anItem(testEnv.services, now.fixture, ofItems && { answerSchema: ofItems });
    await settle(testEnv);
    await pass(31);
    expect((await digests()).sort()).toEqual([ofProject?.digest, ofItems?.digest].sort());
    await review(testEnv.services, anna, { itemId: waiting.id, action: 'approve' });
    await settle(testEnv);
    await pass(31);
    expect(await digests()).toEqual([ofProject?.digest]);
  });
});

describe('a suggestion that did not satisfy its schema', () => {
  it('AN23: is one that needs a person also once its item was redacted, and a valid one is none', async () => {
    await days({ retention_payload_days: 30 });
    const answerSchema = schemaOf('{"type":"string"}');
    for (const suggestion of [{ raw: '7' }, { raw: '"seven"' }]) {
      const { id } = await anItem(testEnv.services, now.fixture, { answerSchema, suggestion });
      await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'reject' });
      await settle(testEnv);
      await setExcluded(id);
    }
    const sampled = async () => {
      const { projectId, supervisor } = now.fixture;
      const window = { projectId, from: new Date(0), to: new Date(testEnv.clock.now().getTime() + DAY_MS) };
      const { kinds, cells } = await readThresholds(testEnv.services, supervisor, window);
      return cells.map(([, , kind, ...counts]) => [kinds[kind]?.kind, ...counts]).sort();
    };
    const before = await sampled();
    expect(before).toEqual([
      ['needs_person', 1, 1, 1],
      ['queued', 1, 1, 1],
    ]);
    await pass(31);
    expect(
      await testEnv.sql('select 1 from item where emptied_at is not null and project_id = ?', [now.fixture.projectId]),
    ).toHaveLength(2);
    expect(await sampled()).toEqual(before);
  });
});
