// @vitest-environment happy-dom
// The reason bar reads well with its keys and without them (QU5), and finds a reason by typing.
import { fireEvent, render } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keySwitch } from '#lib/keys/switch.svelte.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { ReasonPrompt } from '../session/session-views.svelte.ts';
import ReasonBar from './ReasonBar.svelte';

const asked = vi.hoisted(() => ({ action: null as string | null, edit: null as object | null }));
const closed = { note: null, own: null, response: null, picked: null, fault: null, notes: { note: '', own: '' } };

vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({
    reviewSession: {
      reasonPrompt:
        asked.action === null
          ? new ReasonPrompt(
              () => ({ at: 'empty' }),
              () => undefined,
            )
          : { ...closed, action: asked.action, open: true },
      edit: asked.edit,
      busy: null,
      item: { lost: null },
    },
    drafts: { read: () => null },
    me: { id: 'me', name: 'Me' },
    preferences: { digitRejects: false },
    ready: () => true,
  }),
  projectOf: () => ({ reasons: asked.action === null ? ['Wrong fact'] : MANY }),
}));

const MANY = Array.from({ length: 12 }, (_, at) => `Reason ${at + 1}`).with(10, 'Bad format');

const detail: ItemDetail = { id: 'item-1', project_id: 'north' } as unknown as ItemDetail;

afterEach(() => {
  keySwitch.on = true;
  asked.action = asked.edit = null;
});

describe('reason bar', () => {
  it("QU5: shows the reasons' key, and without keys what the reasons are for", () => {
    const { getByRole } = render(ReasonBar, {
      detail,
      stage: 'mine',
      fullScreen: false,
      onaction: () => undefined,
      onreason: () => undefined,
      onown: () => undefined,
    });
    const words = () => getByRole('group').textContent.replaceAll(/\s+/g, ' ').trim();
    expect(words()).toMatch(/^R then 1 Wrong fact ?2 Other reason…/);
    keySwitch.on = false;
    flushSync();
    expect(words()).toMatch(/^Why Wrong fact ?Other reason…/);
  });

  describe('while it asks for a reason', () => {
    function ask(action: string) {
      asked.action = action;
      const chosen: number[] = [];
      const view = render(ReasonBar, {
        detail,
        stage: 'mine',
        fullScreen: false,
        onaction: () => undefined,
        onreason: (index: number) => void chosen.push(index),
        onown: () => undefined,
      });
      const field = view.getByRole('textbox', { name: 'Filter reasons' });
      return { ...view, chosen, field, press: (key: string, more = {}) => fireEvent.keyDown(field, { key, ...more }) };
    }

    it('QU22: takes the reason of a digit, and one beyond the ninth by typing', async () => {
      const { chosen, field, press } = ask('reject');
      expect(document.activeElement).toBe(field);
      await press('3');
      await fireEvent.input(field, { target: { value: 'for' } });
      await press('Enter');
      expect(chosen).toEqual([2, 10]);
    });

    it('takes nothing from Enter alone, from a repeated key or from an input method, and types digits into a text', async () => {
      const { chosen, field, press } = ask('reject');
      await press('Enter');
      await press('1', { repeat: true });
      await press('1', { isComposing: true });
      await fireEvent.input(field, { target: { value: 'Reason ' } });
      await press('1');
      expect(chosen).toEqual([]);
    });

    it('offers reasons of its own for escalating', () => {
      const { getByRole } = ask('escalate');
      expect(getByRole('group').textContent).toMatch(/Why escalate\?.*1 ?Not sure ?2 ?Needs a specialist/);
    });
  });

  it('QU14: says beside the buttons what blocks a submission, and asks for a reason where only that is missing', () => {
    const props = {
      detail,
      stage: 'mine' as const,
      fullScreen: true,
      onaction: () => undefined,
      onreason: () => undefined,
      onown: () => undefined,
    };
    asked.edit = { reason: null, needsReason: false, fault: 'Invalid JSON.', warned: null, text: 'x' };
    expect(render(ReasonBar, props).getByTitle('Invalid JSON.').textContent).toContain('Invalid JSON.');
    asked.edit = { reason: null, needsReason: false, fault: null, warned: 'x', text: 'x' };
    expect(render(ReasonBar, props).getByTitle(/Submit again/).textContent).toContain('Submit again');
    asked.edit = { reason: null, needsReason: true, fault: 'Pick a reason.', warned: null, text: 'x' };
    const asking = render(ReasonBar, { ...props, fullScreen: false });
    expect(asking.getByRole('alert').textContent).toContain('Why?');
    expect(document.activeElement).toBe(asking.getByRole('textbox', { name: 'Filter reasons' }));
  });
});
