// Tests submissions: routed by the current settings, stored unchanged, once per idempotency key.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonText } from '@countersign/shared/json/json';
import { presentPublicItem } from '../../../src/presenters/item.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readPublicItem } from '../../../src/usecases/items/read-item.ts';
import { submit, type SubmitRequest } from '../../../src/usecases/items/submit.ts';
import { withOpenTransaction, insertKeyStatement } from '../support/blocking-transaction.ts';
import { eventsOf } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, aSubmission, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const send = (overrides: Partial<SubmitRequest>, from = fixture) =>
  submit(testEnv.services, from.pipeline, aSubmission(overrides));
const readBack = async (itemId: string) => {
  const { item, decision } = await readPublicItem(testEnv.services, fixture.pipeline, itemId);
  return presentPublicItem(item, decision);
};
const countOf = async (projectId: string) =>
  (await testEnv.sql<{ n: number }>('select count(*)::int as n from item where project_id = ?', [projectId]))[0]?.n;

describe('routing, as stored', () => {
  it.each<[string, Partial<SubmitRequest>, { status: string; matched_flags: string[]; events: string[] }]>([
    [
      'RT1',
      { confidence: 1, riskFlags: ['a', ' LEGAL'] },
      { status: 'escalated', matched_flags: [' LEGAL'], events: ['item.escalated'] },
    ],
    ['RT2', { confidence: 0.95 }, { status: 'auto_approved', matched_flags: [], events: ['item.finalized'] }],
    ['RT3', { confidence: 0.949_999_999_999_999_9 }, { status: 'queued', matched_flags: [], events: ['item.queued'] }],
    [
      'RT4',
      { confidence: 0.699_999_999_999_999_9 },
      { status: 'rejected', matched_flags: [], events: ['item.finalized'] },
    ],
  ])(
    '%s: the rule and its numbers are stored, one event is appended',
    async (rule, overrides, { status, matched_flags, events }) => {
      const { item, decision } = await send(overrides);
      expect(await readBack(item.id)).toMatchObject({
        status,
        confidence: overrides.confidence,
        routing: { rule, auto_threshold: 0.95, review_threshold: 0.7, matched_flags, settings_version: 1 },
      });
      expect((await eventsOf(testEnv, item.id)).map(({ type }) => type)).toEqual(events);
      expect(decision?.action).toBe(rule === 'RT2' ? 'auto_approve' : undefined);
    },
  );

  it('RT6: an item keeps the version that routed it; later settings route later items only', async () => {
    const place = await createProjectFixture(testEnv.services);
    const before = await anItem(testEnv.services, place);
    const { projectId, owner } = place;
    await changeSettings(testEnv.services, owner, { projectId, settingsVersion: 1, changes: { auto_threshold: 0.8 } });
    const after = await anItem(testEnv.services, place);
    expect([before.status, before.settingsVersion]).toEqual(['queued', 1]);
    expect([after.status, after.settingsVersion, after.autoThreshold]).toEqual(['auto_approved', 2, 0.8]);
    expect((await testEnv.sql('select status, settings_version from item where id = ?', [before.id]))[0]).toEqual({
      status: 'queued',
      settings_version: 1,
    });
  });

  it('LC3: the due time follows the project’s target', async () => {
    const { item } = await send({});
    expect(item.dueAt.getTime() - item.createdAt.getTime()).toBe(60 * 60_000);
  });
});

describe('I7: payloads are stored unchanged', () => {
  it('payloads in their own spelling', async () => {
    const raw = '{ "z": 1.0, "a": [1e2, "\\u00e9\\/"], "2": -0, "1": 0.10000000000000000555 }';
    const { item } = await send({
      input: { value: JSON.parse(raw), raw },
      suggestion: { raw },
      metadata: { value: JSON.parse(raw) as Record<string, unknown>, raw },
    });
    const text = jsonText(await readBack(item.id));
    for (const member of ['input', 'suggestion', 'metadata']) expect(text).toContain(`"${member}":${raw}`);
  });

  it.each<[string, string[]]>([
    ['keywords of the database', ['null', 'NULL', 'true', '{}', '{a,b}', '""', "'"]],
    ['leading, trailing and only spaces', [' legal ', ' ', '\t', '\u00a0']],
    ['quotes, commas, braces and backslashes', ['a,b', '"', '\\', '\\"', 'a\\nb', '{', '}', "it's"]],
    ['line breaks and control characters, with and without a comma', ['a\nb', 'a\nb,c', '\u0001,', '\r\n', '\u007f']],
    ['other scripts', ['é', 'e\u0301', '😀', '\u2028', 'ß']],
    ['one flag many times', ['a', 'a', 'a']],
    ['none', []],
  ])('stores the risk flags unchanged: %s', async (_, riskFlags) => {
    const { item } = await send({ riskFlags });
    expect(item.riskFlags).toEqual(riskFlags);
    expect((await readBack(item.id)).risk_flags).toEqual(riskFlags);
  });

  it('by property: any risk flags', async () => {
    const character = fc.constantFrom(...'aA"\\,{}\n\t \'é😀/0', 'null', '\u0001', '\u2028');
    const flag = fc.string({ unit: character, minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(flag, { maxLength: 5 }), async (riskFlags) => {
        const { item } = await send({ riskFlags });
        expect((await readBack(item.id)).risk_flags).toEqual(riskFlags);
      }),
      { numRuns: 40 },
    );
  });

  it('RT1, RT6: the project’s own flags and reasons, and the flags that matched', async () => {
    const odd = [' null ', 'a,"b"\\', 'null', 'line\nbreak, x'];
    const place = await createProjectFixture(testEnv.services, { escalate_flags: odd, reasons: odd });
    const item = await anItem(testEnv.services, place, { riskFlags: ['x', ...odd] });
    expect(item).toMatchObject({ status: 'escalated', matchedFlags: odd });
    const [stored] = await testEnv.sql<{ escalate_flags: string[]; reasons: string[] }>(
      'select to_json(escalate_flags) as escalate_flags, to_json(reasons) as reasons from project where id = ?',
      [place.projectId],
    );
    expect(stored).toEqual({ escalate_flags: odd, reasons: odd });
  });

  it.each([0, -0, 1, 0.1, 1 / 3, 5e-324, 0.950_000_000_000_000_1])(
    'confidence %f to the last bit',
    async (confidence) => {
      const { item } = await send({ confidence });
      expect((await readBack(item.id)).confidence).toBe(confidence === 0 ? 0 : confidence);
    },
  );

  it('model and source are read from metadata when they are short texts', async () => {
    const labelled = async (value: Record<string, unknown>) => {
      const { item } = await send({ metadata: { value, raw: JSON.stringify(value) } });
      return [item.model, item.source];
    };
    expect(await labelled({ model: 'm-1', source: 'mail' })).toEqual(['m-1', 'mail']);
    expect(await labelled({ model: '', source: 7 })).toEqual([null, null]);
    expect(await labelled({ model: 'x'.repeat(201), source: null })).toEqual([null, null]);
  });
});

describe('I2: an idempotency key', () => {
  const key = (text: string, bodySha256 = 'a'.repeat(64)) => ({ idempotency: { key: text, bodySha256 } });

  it('creates one item, and every later response has its current state', async () => {
    const first = await send(key('one'));
    const second = await send(key('one'));
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.item.id).toBe(first.item.id);
    await testEnv.sql(`update item set status = 'rejected' where id = ?`, [first.item.id]);
    expect((await send(key('one'))).item).toMatchObject({ id: first.item.id, status: 'rejected' });
    expect(await eventsOf(testEnv, first.item.id)).toHaveLength(1);
  });

  it('with another body is refused', async () => {
    await send(key('two'));
    await expect(send(key('two', 'b'.repeat(64)))).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('belongs to its project: another project may use the same', async () => {
    const other = await createProjectFixture(testEnv.services);
    const mine = await send(key('three'));
    const theirs = await send(key('three'), other);
    expect(theirs).toMatchObject({ replayed: false });
    expect(theirs.item.id).not.toBe(mine.item.id);
  });

  it('sent 20 times at once creates one item', async () => {
    const place = await createProjectFixture(testEnv.services);
    const results = await Promise.all(Array.from({ length: 20 }, () => send(key('crowd'), place)));
    expect(new Set(results.map(({ item }) => item.id)).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await countOf(place.projectId)).toBe(1);
  });

  it('of a failed submission is free again', async () => {
    const place = await createProjectFixture(testEnv.services);
    await testEnv.sql('update project set archived_at = now() where id = ?', [place.projectId]);
    await expect(send(key('four'), place)).rejects.toMatchObject({ code: 'forbidden' });
    await testEnv.sql('update project set archived_at = null where id = ?', [place.projectId]);
    expect(await send(key('four'), place)).toMatchObject({ replayed: false });
  });

  it('whose first request is still running gets 409 and Retry-After', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const place = { projectId: fixture.projectId, operation: 'submit', key: 'slow' };
    const first = insertKeyStatement(place, { itemId: id, bodySha256: 'a'.repeat(64) });
    const outcome = await withOpenTransaction(testEnv, first, () => send(key('slow')).catch((error: unknown) => error));
    expect(outcome).toMatchObject({ code: 'idempotency_in_progress', extras: { retryAfter: 1 } });
    expect(await send(key('slow'))).toMatchObject({ replayed: true, item: { id } });
  });
});
