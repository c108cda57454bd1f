// The tabs of a project, who sees them, and which one an address names.
import type { Abilities } from '@countersign/shared/enums';
import { messages } from './project-messages.ts';

export const TABS = [
  'overview',
  'rules',
  'guidelines',
  'people',
  'webhook',
  'deliveries',
  'keys',
  'changes',
  'danger',
] as const;
export type Tab = (typeof TABS)[number];

/** The ability a tab needs; every other tab is every member's. */
const NEEDS: Partial<Record<Tab, keyof Abilities>> = {
  webhook: 'manage_webhook',
  deliveries: 'see_deliveries',
  // An archived project makes no keys and takes no changes; its owners still see and revoke what there is.
  keys: 'manage_project',
  changes: 'manage_project',
  danger: 'manage_project',
};

/** The tabs a member sees, in order: what one may not use is not shown. */
export function tabsFor(abilities: Abilities): { tab: Tab; name: string }[] {
  const seen = TABS.filter((tab) => {
    const needed = NEEDS[tab];
    return needed === undefined || abilities[needed];
  });
  return seen.map((tab) => ({ tab, name: messages.tabs[tab] }));
}

/** The tab of `/projects/:id/:tab`; the first one when it names none that is shown. */
export const tabOf = (wanted: string | undefined, seen: readonly { tab: Tab }[]): Tab =>
  seen.find(({ tab }) => tab === wanted)?.tab ?? 'overview';
