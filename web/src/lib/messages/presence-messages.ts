// Texts about who is online, who views what, and the state of the connection.
import { plural } from '#lib/format/format.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

export const presenceMessages = {
  online: (count: number) => `${count} online`,
  /** `more` is the number of those who are not named. */
  names: (names: readonly string[], more: number) =>
    `${names.length + more} online besides you: ${list.format(more > 0 ? [...names, plural(more, 'other', 'others')] : names)}`,
  more: (count: number) => `+${count}`,
  away: 'away',
  nameAway: (name: string) => `${name} (away)`,
  holds: (name: string) => `${name} is on this`,
  holdsAway: (name: string) => `${name} is on this (away)`,
  looks: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'is' : 'are'} viewing this`,
  looksToo: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'is' : 'are'} viewing this too`,
  /** After the first name. */
  isLooking: (count: number) => (count === 1 ? ' is viewing' : ` +${count - 1} are viewing`),
  looksTooShort: (count: number) => (count === 1 ? ' is viewing too' : ` +${count - 1} are viewing too`),

  degraded: 'Live claims are down: two people may open the same item.',
  degradedShort: 'Live claims are down: two people may open the same item',
  degradedSafe: 'Only the first decision counts.',
  healed: 'Live claims are back',

  pill: {
    connecting: { word: 'Connecting', title: 'Connecting to live updates' },
    live: { word: 'Live', title: 'Live updates on' },
    paused: { word: 'Paused', title: 'New rows paused; claims and decisions still update' },
    reconnecting: { word: 'Reconnecting…', title: 'Connection lost. Reconnecting to live updates' },
    polling: { word: 'Every 15 s', title: 'Live updates are not getting through. This page refreshes every 15 s' },
    offline: { word: 'Offline', title: "You're offline. You can read and draft, but not decide" },
    resyncing: { word: 'Resyncing', title: 'Reconnected. Catching up on missed changes' },
  },
  /** Without a live connection, while the service answers. */
  polling: 'Live updates are not getting through. This page refreshes every 15 s; you can decide as usual.',
  tooManyTabs:
    'You have too many tabs open for live updates. This one refreshes every 15 s; close others to make it live.',
  waiting: (count: number) => `(${count} waiting)`,
} as const;

/** Names three, and counts the rest. */
function namesOf(names: readonly string[]): string {
  const more = names.length - 3;
  return list.format(more > 0 ? [...names.slice(0, 3), plural(more, 'other', 'others')] : names);
}
