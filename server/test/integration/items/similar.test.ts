// Tests QU28: which waiting items are offered as nearly the same.
import { describe, expect, it } from 'vitest';
import { SIMILAR_ITEMS } from '@countersign/shared/limits';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { listSimilar } from '../../../src/usecases/items/list-similar.ts';
import type { SubmitRequest } from '../../../src/usecases/items/submit.ts';
import { expireClaimsOnce } from '../../../src/worker/expire-claims.ts';
import { endLease } from '../support/database-helpers.ts';
import { anItem, aPerson, createProjectFixture, review, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv);

const asking = async (question: string, overrides: Partial<SubmitRequest> = {}, of = fixture) =>
  (
    await anItem(testEnv.services, of, {
      input: { value: { question }, raw: JSON.stringify({ question }) },
      ...overrides,
    })
  ).id;
const similar = (id: string, who = fixture.anna) => listSimilar(testEnv.services, who, id);
const idsOf = async (id: string, who = fixture.anna) => (await similar(id, who)).items.map((row) => row.id);

const QUESTION = 'May order 4711 be returned after thirty days?';
const NEAR = 'May order 4712 be returned after thirty days?';
const FAR = 'Which vitamin helps against a cold in winter?';

describe('QU28: similar items', () => {
  it('are those with nearly the same preview, the most alike first, and say whether the suggestion is equal', async () => {
    const id = await asking(QUESTION);
    const near = await asking(NEAR, { suggestion: { raw: '"No."' }, title: 'Parcel 4712' });
    const equal = await asking(QUESTION);
    await asking(FAR);
    expect(await similar(id)).toEqual({
      items: [
        { id: equal, preview: expect.stringContaining('4711') as string, title: null, same_suggestion: true },
        { id: near, preview: expect.stringContaining('4712') as string, title: 'Parcel 4712', same_suggestion: false },
      ],
      more: false,
    });
  });

  it('are waiting, free or one’s own, and such as the person may decide', async () => {
    const id = await asking(QUESTION);
    const decided = await asking(QUESTION);
    await review(testEnv.services, fixture.ben, { itemId: decided, action: 'approve' });
    const [others, mine] = [await asking(QUESTION), await asking(QUESTION)];
    await claim(testEnv.services, fixture.ben, others);
    await claim(testEnv.services, fixture.anna, mine);
    const escalated = await asking(QUESTION, { riskFlags: ['legal'] });
    expect(await idsOf(id)).toEqual([mine]);
    expect((await idsOf(id, fixture.owner)).sort()).toEqual([escalated].sort());
    await endLease(testEnv, others);
    expect((await idsOf(id)).sort()).toEqual([mine, others].sort());
    await expireClaimsOnce(testEnv.services);
    expect((await idsOf(id)).sort()).toEqual([mine, others].sort());
  });

  it('are of the same project, and of no project that the person is not in', async () => {
    const other = await createProjectFixture(testEnv.services);
    const id = await asking(QUESTION);
    await asking(QUESTION, {}, other);
    expect(await idsOf(id)).toEqual([]);
    await expect(similar(id, await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
  });

  it(`are at most ${SIMILAR_ITEMS}, and say when there are more`, async () => {
    const id = await asking(QUESTION);
    for (let n = 0; n < SIMILAR_ITEMS; n += 1) await asking(QUESTION);
    expect(await similar(id)).toMatchObject({ more: false });
    await asking(QUESTION);
    const { items, more } = await similar(id);
    expect([items.length, more]).toEqual([SIMILAR_ITEMS, true]);
  });

  it('are none of an item whose preview only names a file: other files have the same', async () => {
    const photo = (bytes: string) => {
      const value = { photo: `data:image/png;base64,${bytes}` };
      return anItem(testEnv.services, fixture, { input: { value, raw: JSON.stringify(value) } });
    };
    const { id } = await photo('AAAA');
    await photo('BBBB');
    expect(await idsOf(id)).toEqual([]);
    const [{ preview } = {}] = await testEnv.sql<{ preview: string }>('select preview from item where id = ?', [id]);
    expect(preview).toBe('Image, PNG, 3 bytes');
  });

  it('are none of an item whose content was redacted', async () => {
    const id = await asking(QUESTION);
    await asking(QUESTION);
    await testEnv.sql(`update item set preview = '' where id = ?`, [id]);
    expect(await idsOf(id)).toEqual([]);
  });
});
