// Every string of a project's overview.

export const messages = {
  now: 'Now',
  waiting: 'waiting',
  escalated: (count: string) => `${count} escalated`,
  oldest: 'oldest',
  nothingWaits: 'nothing waits',
  target: (length: string) => `target ${length}`,
  decided: 'decided today',
  overridden: 'overridden today',
  ofDecided: (count: string) => `of ${count}`,
  toQueue: 'Open the queue',

  depth: {
    heading: 'How many waited',
    reach: { full: 'last 6 hours', all: 'since the project was made', least: 'last 10 minutes' },
    nothing: 'Nothing waited.',
    most: (now: string, most: string, time: string) => `${now} now; at most ${most}, at ${time}.`,
    still: (now: string) => `${now} now, and at no time more.`,
    now: 'now',
    failed: 'The depth could not be loaded',
    toAnalytics: 'Analytics',
  },

  people: {
    heading: 'On it now',
    nobody: 'Nobody holds an item.',
    holding: (items: string, people: string) => `${items} held by ${people}`,
    items: (count: number) => (count === 1 ? '1 item' : `${count} items`),
    people: (count: number) => (count === 1 ? 'one person' : `${count} people`),
    more: (count: number) => `and ${count} more`,
  },

  rules: { heading: 'Who decides', link: 'Rules' },

  webhook: {
    heading: 'Webhook',
    unset: 'No address yet: decisions leave by the public API alone.',
    to: (host: string) => `to ${host}`,
    toDeliveries: 'Deliveries',
    toWebhook: 'Set the webhook',
    errors: 'Last errors',
    none: (count: string) => `None among the last ${count}.`,
    noDelivery: 'No delivery yet.',
    retrying: 'retrying',
    next: (when: string) => `next attempt ${when}`,
    noAnswer: 'no answer',
    failed: 'The last errors could not be loaded',
  },
} as const;
