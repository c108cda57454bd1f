// What is said of who is online, who looks at what, and how the connection stands. English first.
import { plural } from './item-messages.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

export const presenceMessages = {
  online: (count: number) => `${count} online`,
  /** `more` stands for those who are not named. */
  names: (names: readonly string[], more: number) =>
    `${names.length + more} online besides you: ${list.format(more > 0 ? [...names, plural(more, 'other', 'others')] : names)}`,
  more: (count: number) => `+${count}`,
  away: 'away',
  nameAway: (name: string) => `${name} (away)`,
  holds: (name: string) => `${name} holds this`,
  holdsAway: (name: string) => `${name} holds this, away`,
  looks: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'looks' : 'look'} at this`,
  looksToo: (names: readonly string[]) => `${namesOf(names)} ${names.length === 1 ? 'looks' : 'look'} at this too`,
  /** Behind the first name. */
  isLooking: (count: number) => (count === 1 ? ' is looking' : ` +${count - 1} are looking`),
  looksTooShort: (count: number) => (count === 1 ? ' looks too' : ` +${count - 1} look too`),

  degraded: 'Live assignment is degraded: two people may open the same item.',
  degradedShort: 'Live assignment is degraded, decisions stay safe',
  degradedSafe: 'Decisions stay safe: the first one counts.',
  healed: 'Live assignment works again',

  pill: {
    connecting: { word: 'Connecting', title: 'The live connection is being opened' },
    live: { word: 'Live', title: 'What others do appears here as they do it' },
    paused: { word: 'Paused', title: 'New rows wait; what others claim and decide still shows' },
    reconnecting: { word: 'Reconnecting…', title: 'The connection was lost and is being opened again' },
    polling: { word: 'Every 15 s', title: 'Live updates do not get through: this page asks every 15 seconds' },
    offline: { word: 'Offline', title: 'Offline: reading and drafting only' },
    resyncing: { word: 'Resyncing', title: 'Connected again; what was missed is being read' },
  },
  /** Without a live connection, while the service answers. */
  polling: 'Live updates do not get through here. This page asks every 15 seconds; you can decide as usual.',
  tooManyTabs:
    'You have as many tabs open as can be live at once. This one asks every 15 seconds; close others to make it live.',
  waiting: (count: number) => `(${count} waiting)`,
} as const;

/** Three are named, the rest counted. */
function namesOf(names: readonly string[]): string {
  const more = names.length - 3;
  return list.format(more > 0 ? [...names.slice(0, 3), plural(more, 'other', 'others')] : names);
}
