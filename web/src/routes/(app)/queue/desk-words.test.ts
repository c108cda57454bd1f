// Notes, giving back and undo: what was typed goes where it belongs, or comes back.
import { describe, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts.ts';
import type { Fact } from '@countersign/shared/events';
import { Place, type } from './desk-page.fixture.ts';
import { ME } from './desk-server.fixture.ts';

const place = new Place();

describe('notes', () => {
  it.each(['approve', 'reject', 'finalize'] as const)('go out with what is decided: %s', async (action) => {
    const { desk, drafts } = await place.atWork();
    desk.asking.openNote();
    desk.asking.note = 'Because of page 2';
    await desk.decide(action, action === 'approve' ? {} : { reason: 'Wrong fact' });
    expect(place.server.decisions[0]).toMatchObject({ action, note: 'Because of page 2' });
    expect(drafts.words('one')).toEqual({ note: '', own: '' });
    expect(desk.asking.written.note).toBe('');
  });

  it.each(['escalate', 'return'] as const)('go out as notes where people pass an item on: %s', async (action) => {
    const { desk, drafts } = await place.atWork();
    desk.asking.openNote();
    desk.asking.note = 'n'.repeat(4000);
    await desk.decide(action, { reason: 'Policy' });
    expect(place.server.decisions).toMatchObject([{ action, reason: 'Policy', note: 'n'.repeat(4000) }]);
    expect(drafts.words('one').note).toBe('');
  });

  it.each([
    ['Mine', true],
    ['Another', false],
  ])('tell one escalation from another when its answer was lost: %s', async (note, stood) => {
    const { desk } = await place.atWork();
    place.server.history = [
      { type: 'item.escalated', version: 9, actor: { id: ME.id }, reason: 'Policy', note } as unknown as Fact,
    ];
    place.server.fates.set('decision', 'lost');
    desk.asking.openNote();
    desk.asking.note = 'Mine';
    expect(await desk.decide('escalate', { reason: 'Policy' })).toBe(stood);
  });

  it('QU3: are kept as they are typed, through closing the field, refusal, reload and undo', async () => {
    const { desk } = await place.atWork();
    desk.asking.openNote();
    desk.asking.note = 'Half a thought';
    desk.asking.clear();
    expect(new Drafts(ME.id, place.storage).words('one').note).toBe('Half a thought');
    place.server.fates.set('decision', 500);
    await desk.decide('approve');
    expect([desk.item.id, desk.asking.written.note]).toEqual(['one', 'Half a thought']);
    place.server.fates.clear();
    const again = await place.open();
    await again.desk.look('one');
    again.desk.asking.openNote();
    expect(again.desk.asking.note).toBe('Half a thought');
    await again.desk.decide('approve');
    expect(again.drafts.words('one').note).toBe('');
    const [made] = again.tray.entries;
    if (made) await again.desk.undo(made);
    expect([again.desk.item.id, again.desk.asking.written.note]).toEqual(['one', 'Half a thought']);
  });

  it('go on in the editor, which has a note of its own', async () => {
    const { desk, drafts } = await place.atWork();
    desk.asking.openNote();
    desk.asking.note = 'Half a thought';
    desk.startEdit();
    expect([desk.edit?.note, drafts.read('one')?.note, drafts.words('one').note]).toEqual([
      'Half a thought',
      'Half a thought',
      '',
    ]);
  });

  it('QU3: come back out of the editor, where no answer was typed, and go out with the approval', async () => {
    const { desk, drafts } = await place.atWork();
    desk.asking.openNote();
    desk.asking.note = 'Half a thought';
    desk.startEdit();
    desk.stopEdit();
    expect([desk.asking.written.note, drafts.read('one')]).toEqual(['Half a thought', null]);
    await desk.decide('approve');
    expect(place.server.decisions).toMatchObject([{ action: 'approve', note: 'Half a thought' }]);
  });

  it('QU3: stay in the editor with an answer that was typed, and the reason stays where none was', async () => {
    const { desk, drafts } = await place.atWork();
    type(desk, 'Mine');
    if (desk.edit) desk.edit.note = 'Of the answer';
    desk.edit?.choose('Wrong fact');
    desk.stopEdit();
    expect([desk.asking.written.note, drafts.read('one')?.note]).toEqual(['', 'Of the answer']);
    desk.startEdit();
    if (desk.edit) desk.edit.text = desk.edit.original;
    desk.edit?.changed();
    desk.stopEdit();
    expect([desk.asking.written.note, drafts.read('one')]).toMatchObject([
      'Of the answer',
      { note: '', reason: 'Wrong fact' },
    ]);
  });
});

describe('giving back', () => {
  it('returns to the list and keeps what was typed', async () => {
    const { desk, drafts } = await place.atWork();
    type(desk, 'Mine');
    expect(await desk.giveBack()).toBe(true);
    expect([desk.item.id, place.server.of('one').detail.claim, drafts.read('one')?.text]).toEqual([null, null, 'Mine']);
  });

  it('of a claim that is gone already is no failure', async () => {
    const { desk } = await place.atWork();
    place.server.fates.set('DELETE', { code: 'claim_lost', status: 409 });
    expect([await desk.giveBack(), desk.failure, desk.item.id]).toEqual([true, null, null]);
  });
});

describe('undo', () => {
  it('after the window says that it is final, and the tray knows', async () => {
    const { desk, tray } = await place.atWork();
    await desk.decide('approve');
    const made = tray.of('one');
    await vi.advanceTimersByTimeAsync(6000);
    if (made) expect(await desk.undo(made)).toBe(false);
    expect([desk.failure, tray.of('one')?.undoUntil]).toEqual([null, null]);
  });

  it('of the item on show takes back that one, not the last one', async () => {
    const { desk } = await place.atWork();
    await desk.decide('approve');
    await desk.decide('approve');
    await desk.look('one');
    await desk.undoShown();
    expect([desk.item.id, place.server.of('one').detail.status, place.server.of('two').detail.status]).toEqual([
      'one',
      'queued',
      'approved',
    ]);
  });
});
