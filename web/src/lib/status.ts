// One icon, label and colour per status of an item, the same everywhere: a status colour is never used alone.
import type { ItemStatus } from '@countersign/shared/enums';
import type { LucideIcon } from '@lucide/svelte';
import AlarmClock from '@lucide/svelte/icons/alarm-clock';
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right';
import Ban from '@lucide/svelte/icons/ban';
import Check from '@lucide/svelte/icons/check';
import Clock from '@lucide/svelte/icons/clock';
import Users from '@lucide/svelte/icons/users';
import X from '@lucide/svelte/icons/x';
import Zap from '@lucide/svelte/icons/zap';

/** `colour` is a text colour utility. */
export interface StatusStyle {
  icon: LucideIcon;
  word: string;
  colour: string;
}

export const ITEM_STYLE = {
  queued: { icon: Clock, word: 'queued', colour: 'text-queued' },
  escalated: { icon: ArrowUpRight, word: 'escalated', colour: 'text-escalated' },
  approved: { icon: Check, word: 'approved', colour: 'text-approved' },
  rejected: { icon: X, word: 'rejected', colour: 'text-rejected' },
  auto_approved: { icon: Zap, word: 'auto-approved', colour: 'text-auto' },
  escalated_final: { icon: Users, word: 'withheld', colour: 'text-escalated' },
  withdrawn: { icon: Ban, word: 'withdrawn', colour: 'text-t3' },
  expired: { icon: AlarmClock, word: 'expired', colour: 'text-t3' },
} satisfies Record<ItemStatus, StatusStyle>;
