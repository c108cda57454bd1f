// Texts of the first screen about who is online, who views what, and the state of the connection.
import { joinWithAnd, plural } from '#lib/format/format.ts';

export const presenceMessages = {
  online: (count: number) => `${count} online`,
  away: 'away',
  holds: (name: string) => `${name} is on this`,
  holdsAway: (name: string) => `${name} is on this (away)`,
  looks: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'is' : 'are'} viewing this`,
  /** After the first name. */
  isLooking: (count: number) => (count === 1 ? ' is viewing' : ` +${count - 1} are viewing`),

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
export function namesOf(names: readonly string[]): string {
  const more = names.length - 3;
  return joinWithAnd(more > 0 ? [...names.slice(0, 3), plural(more, 'other', 'others')] : names);
}
