// @vitest-environment happy-dom
// PM5 in the layout: a click meant for the content in its place never accepts an offer.
import type { OwnOffer } from '@countersign/shared/schemas/offers';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import OfferStrip from './OfferStrip.svelte';
import type { OwnOffers } from './own-offers.svelte.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route }));

const offer = (id: string, project: string): OwnOffer => ({
  id,
  project: { name: project },
  role: 'reviewer',
  present_role: null,
  offered_by: { name: 'Ada', address: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' },
  created_at: '2026-03-01T00:00:00.000Z',
  expires_at: '2099-03-01T00:00:00.000Z',
  abilities: { accept: true, decline: true },
});

const showing = (first: OwnOffer) =>
  ({
    first,
    joined: null,
    more: false,
    open: [first],
    answering: { pending: false, error: null },
  }) as unknown as OwnOffers;

const isEnabled = (name: RegExp) => !screen.getByRole<HTMLButtonElement>('button', { name }).disabled;

describe('PM5: the buttons of an offer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it('are disabled until it has been visible for a moment, and again for the next offer', async () => {
    const { rerender } = render(OfferStrip, { offers: showing(offer('1', 'Listings')) });
    expect(isEnabled(/^Accept/)).toBe(false);
    expect(isEnabled(/^Decline/)).toBe(false);
    await vi.advanceTimersByTimeAsync(700);
    expect(isEnabled(/^Accept/)).toBe(true);
    expect(isEnabled(/^Decline/)).toBe(true);

    await rerender({ offers: showing(offer('2', 'Replies')) });
    expect(isEnabled(/^Accept the membership in Replies/)).toBe(false);
    await vi.advanceTimersByTimeAsync(700);
    expect(isEnabled(/^Accept the membership in Replies/)).toBe(true);
  });
});
