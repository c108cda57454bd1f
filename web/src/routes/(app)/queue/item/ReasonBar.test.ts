// @vitest-environment happy-dom
// The reason bar reads well with its keys and without them (QU5).
import { render } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keySwitch } from '#lib/keys/switch.svelte.ts';
import type { ItemDetail } from '@countersign/shared/item';
import { ReasonPrompt } from '../session/session-views.svelte.ts';
import ReasonBar from './ReasonBar.svelte';

vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({
    reviewSession: {
      reasonPrompt: new ReasonPrompt(
        () => ({ at: 'empty' }),
        () => undefined,
      ),
      edit: null,
      busy: null,
      item: { lost: null },
    },
    drafts: { read: () => null },
    me: { id: 'me', name: 'Me' },
    ready: () => true,
  }),
  projectOf: () => ({ reasons: ['Wrong fact'] }),
}));

const detail: ItemDetail = { id: 'item-1', project_id: 'north' } as unknown as ItemDetail;

afterEach(() => {
  keySwitch.on = true;
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
});
