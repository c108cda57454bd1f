// The tabs of a project, who sees them, and which one an address names.
import type { Abilities } from '@countersign/shared/words';
import { words } from './text.ts';

export const TABS = ['rules', 'guidelines', 'people', 'webhook', 'keys'] as const;
export type Tab = (typeof TABS)[number];

const NEEDS: Partial<Record<Tab, readonly (keyof Abilities)[]>> = {
  webhook: ['manage_webhook', 'see_deliveries'],
  keys: ['manage_keys'],
};

/** The tabs a member sees, in order: what one may not use is not shown. */
export function tabsFor(abilities: Abilities): { tab: Tab; name: string }[] {
  const seen = TABS.filter((tab) => NEEDS[tab]?.some((ability) => abilities[ability]) ?? true);
  return seen.map((tab) => ({ tab, name: words.tabs[tab] }));
}

/** The tab of `?tab=…`; the first one when it names none that is shown. */
export const tabOf = (wanted: string | null, seen: readonly { tab: Tab }[]): Tab =>
  seen.find(({ tab }) => tab === wanted)?.tab ?? 'rules';
