// The tabs of a project, who sees them, and which one a URL names.
import type { Abilities } from '@countersign/shared/enums';
import { messages } from './project-messages.ts';
import { TABS } from './tab-names.ts';

export type Tab = (typeof TABS)[number];

/** The ability a tab requires; every other tab is visible to all members. */
const NEEDS: Partial<Record<Tab, keyof Abilities>> = {
  // An archived project takes no items.
  preview: 'change_settings',
  webhook: 'manage_webhook',
  notifications: 'manage_webhook',
  deliveries: 'see_deliveries',
  // An archived project creates no keys and accepts no changes; its owners still see and revoke existing ones.
  keys: 'manage_project',
  changes: 'manage_project',
  danger: 'manage_project',
};

/** The tabs a member sees, in order: unusable tabs are hidden. */
export function tabsFor(abilities: Abilities): { tab: Tab; name: string }[] {
  const seen = TABS.filter((tab) => {
    const needed = NEEDS[tab];
    return needed === undefined || abilities[needed];
  });
  return seen.map((tab) => ({ tab, name: messages.tabs[tab] }));
}

/** The tab of `/projects/:id/:tab`; the first one when it names none that is visible. */
export const tabOf = (wanted: string | undefined, seen: readonly { tab: Tab }[]): Tab =>
  seen.find(({ tab }) => tab === wanted)?.tab ?? 'overview';
