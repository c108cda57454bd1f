// Tests the queue filter: the database matches the same rows as `answers()`, for any rows and any length of the queue.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COUNT_LIMIT } from '@countersign/shared/limits';
import { answers } from '@countersign/shared/filters/queue-filter';
import { queueFilter, type QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { toItemRow } from '../../../src/domain/items/item-row.ts';
import { listQueue, type QueueQuery } from '../../../src/usecases/items/list-queue.ts';
import { createProjectFixture, anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

/** Everything that a pattern, a locale, an encoding or a quoting could interpret. */
const PREVIEWS = [
  ...['100 % sure', '100 sure', 'a_b', 'axb', 'back\\slash', 'backslash', "it's", '"quoted"', '$1 ? :x', '   '],
  ...['STRASSE', 'Straße', 'ÄÖÜ', 'äöü', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'ΣΑΣ', 'σας', 'Ａ', 'K', 'k'],
  ...['e\u0301clair', '\u00e9clair', '👩‍👩‍👧 family', '👩 alone', '\u202eevil', 'tab\tand\nline', '{a,b}', 'null', '[%_]'],
];
const FLAGS = [[], ['pii'], ['PII'], ['pii', 'legal'], ['a,b'], ['{x}'], ['"q"'], ['NULL'], ['back\\slash'], ['%']];
const NAMES = [null, 'gpt', 'GPT', 'gpt ', '%', '_', "o'model", '\\'];
const CONFIDENCES = [0, 0.1, 0.5, 0.7, 0.7000000000000001, 0.30000000000000004, 0.9, 5e-324];

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, { below_review: 'queue', escalate_flags: [] });
  const previews = PREVIEWS.flatMap((preview, at) => [
    { preview, at },
    { preview: `so: ${preview}.`, at: at + 3 },
  ]);
  for (const { preview, at } of previews) {
    const { id } = await anItem(testEnv.services, fixture, {
      riskFlags: FLAGS[at % FLAGS.length] ?? [],
      confidence: CONFIDENCES[at % CONFIDENCES.length] ?? 0,
    });
    const names = [NAMES[at % NAMES.length] ?? null, NAMES[(at * 3) % NAMES.length] ?? null];
    await testEnv.sql('update item set preview = ?, model = ?, source = ? where id = ?', [preview, ...names, id]);
  }
});

const list = (query: Partial<QueueQuery>, of: ProjectFixture = fixture) =>
  listQueue(testEnv.services, of.anna, {
    projectId: of.projectId,
    view: 'all',
    after: undefined,
    limit: 500,
    ...query,
  });

const piece = fc
  .constantFrom(...PREVIEWS)
  .chain((preview) =>
    fc
      .tuple(fc.nat(preview.length), fc.nat(preview.length))
      .map(([a, b]) => preview.slice(Math.min(a, b), Math.max(a, b))),
  );
const text = fc.oneof(
  piece,
  piece.map((each) => each.toUpperCase()),
  piece.map((each) => each.toLowerCase()),
  fc.constantFrom('%', '_', '\\', "'", '?', '$1', '%a', 'S', 'ss', 'é', 'i', 'İ'),
);
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
/** As the intake normalizes it. */
const filter = fc
  .record({
    text: some(text),
    flag: some(fc.constantFrom(...FLAGS.flat(), 'Pii', 'none')),
    model: some(fc.constantFrom('gpt', 'GPT', 'gpt ', '%', '_', "o'model", '\\', 'none')),
    source: some(fc.constantFrom('gpt', '%', '\\')),
    min_confidence: some(fc.constantFrom(...CONFIDENCES)),
    max_confidence: some(fc.constantFrom(...CONFIDENCES)),
  })
  .map((asked) => queueFilter.safeParse(asked))
  .filter((parsed) => parsed.success)
  .map((parsed) => parsed.data);

describe('the queue filter', () => {
  it('matches what the page matches, for one field and for all of them, and changes no count', async () => {
    const { items, counts } = await list({});
    const rows = items.map((item) => toItemRow(item, null));
    const wanted = (asked: QueueFilter) => rows.filter((row) => answers(asked, row)).map(({ id }) => id);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filter, async (asked) => {
        const page = await list({ filter: asked });
        expect(page.items.map(({ id }) => id)).toEqual(wanted(asked));
        expect(page.counts).toEqual(counts);
        found += page.items.length;
      }),
      // The empty filter finds everything, independent of what is drawn.
      { numRuns: 200, examples: [[{}]] },
    );
    expect(found).toBeGreaterThan(0);
    for (const asked of PREVIEWS.filter((preview) => preview.trim() !== '')) {
      const page = await list({ filter: { text: asked } });
      expect(page.items.map(({ id }) => id)).toEqual(wanted({ text: asked }));
    }
  });

  it.each([
    ['%', ['100 % sure', 'so: 100 % sure.', '[%_]', 'so: [%_].']],
    ['_', ['a_b', 'so: a_b.', '[%_]', 'so: [%_].']],
    ['BACK\\', ['back\\slash', 'so: back\\slash.']],
    ['strasse', ['STRASSE', 'so: STRASSE.']],
    ['äöü', ['äöü', 'so: äöü.']],
    ['\u00e9', ['\u00e9clair', 'so: \u00e9clair.']],
  ])('searches for %s literally, ignoring only the case of A to Z', async (asked, expected) => {
    const { items } = await list({ filter: { text: asked } });
    expect(items.map(({ preview }) => preview).sort()).toEqual([...expected].sort());
  });

  it.each(['a\0b', '\ud83d'])('refuses %j, which no database can search for', (value) => {
    for (const field of ['text', 'flag', 'model', 'source'])
      expect(queueFilter.safeParse({ [field]: value }).success).toBe(false);
  });

  it('continues by pages, each row once', async () => {
    const asked = { max_confidence: 0.7 };
    const whole = (await list({ filter: asked })).items.map(({ id }) => id);
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await list({ filter: asked, limit: 4, after });
      seen.push(...page.items.map(({ id }) => id));
      if (page.nextCursor === null) break;
      after = page.nextCursor;
    }
    expect(seen).toEqual(whole);
  });
});

describe('a queue of 25 000', () => {
  let long: ProjectFixture;

  beforeAll(async () => {
    long = await createProjectFixture(testEnv.services);
    await anItem(testEnv.services, long);
    await testEnv.sql(
      `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
         matched_flags, settings_version, version, created_at, due_at)
       select gen_random_uuid(), project_id, case when n % 20 = 0 then 'escalated' else 'queued' end, input, suggestion, confidence, '{}',
         case when n = 24000 then 'the needle' when n between 21050 and 21055 then 'the edge' else 'hay' end, rule, auto_threshold, review_threshold, '{}', 1, 1, created_at, due_at + n * interval '1 second'
       from item, generate_series(1, 24999) n where project_id = ?`,
      [long.projectId],
    );
  });

  it('is searched one part at a time, and the one match is found', async () => {
    const filter = { text: 'needle' };
    const first = await list({ filter }, long);
    expect(first.items).toEqual([]);
    expect(first.nextCursor).not.toBeNull();
    const second = await list({ filter, after: first.nextCursor ?? '' }, long);
    expect(second.items.map(({ preview }) => preview)).toEqual(['the needle']);
    expect(second.end).toBeNull();
  });

  it('is searched without a missed or repeated row at the end of a part', async () => {
    const filter = { text: 'edge' };
    const first = await list({ filter }, long);
    const second = await list({ filter, after: first.nextCursor ?? '' }, long);
    const found = [...first.items, ...second.items].map(({ id }) => id);
    expect([first.items.length > 0, second.items.length > 0, found.length, new Set(found).size]).toEqual([
      true,
      true,
      6,
      6,
    ]);
  });

  it('is counted up to a limit, with "more" beyond it', async () => {
    const reviewer = await list({ limit: 1 }, long);
    expect(reviewer.counts).toEqual({ available: COUNT_LIMIT + 1, mine: 0, escalated: 1249, all: COUNT_LIMIT + 1 });
    await testEnv.sql(
      `update item set claimed_by = ?, claim_expires_at = now() + interval '1 minute'
       where id in (select id from item where project_id = ? and status = 'queued' order by due_at limit 20)`,
      [long.anna.userId, long.projectId],
    );
    await testEnv.sql(
      `update item set status = 'rejected' where id in (select id from item where project_id = ? and status = 'queued'
         and claim_expires_at is null order by due_at desc limit 19000)`,
      [long.projectId],
    );
    const few = { projectId: long.projectId, view: 'all' as const, after: undefined, limit: 1 };
    const counts = { mine: 20, escalated: 1249, all: 6000 };
    expect((await listQueue(testEnv.services, long.anna, few)).counts).toEqual({ ...counts, available: 4731 });
    const supervisors = await listQueue(testEnv.services, long.supervisor, few);
    expect(supervisors.counts).toEqual({ ...counts, mine: 0, available: 5980 });
  });
});
