// One icon, label and colour per status of a delivery, the same everywhere: a status colour is never used alone.
import type { DeliveryStatus } from '@countersign/shared/enums';
import Ban from '@lucide/svelte/icons/ban';
import Check from '@lucide/svelte/icons/check';
import CircleX from '@lucide/svelte/icons/circle-x';
import Clock from '@lucide/svelte/icons/clock';
import Pause from '@lucide/svelte/icons/pause';
import Send from '@lucide/svelte/icons/send';
import type { StatusStyle } from './status.ts';

export const DELIVERY_STYLE = {
  pending: { icon: Clock, word: 'waiting', colour: 'text-queued' },
  sending: { icon: Send, word: 'sending', colour: 'text-queued' },
  succeeded: { icon: Check, word: 'delivered', colour: 'text-approved' },
  dead: { icon: CircleX, word: 'dead', colour: 'text-rejected' },
  paused: { icon: Pause, word: 'paused', colour: 'text-escalated' },
  cancelled: { icon: Ban, word: 'cancelled', colour: 'text-t3' },
} satisfies Record<DeliveryStatus, StatusStyle>;
