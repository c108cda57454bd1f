// Texts of a project's overview.

export const messages = {
  now: 'Now',
  waiting: 'waiting',
  escalated: (count: string) => `${count} escalated`,
  oldest: 'oldest',
  nothingWaits: 'nothing waiting',
  target: (length: string) => `target ${length}`,
  decided: 'decided today',
  overridden: 'changed or rejected today',
  ofDecided: (count: string) => `of ${count}`,
  expiredToday: 'ended by deadline today',
  toQueue: 'Open queue',

  expired: {
    heading: 'Passed deadlines',
    lead: 'Items that ended at their deadline without a decision, latest first.',
    none: 'No item has ended at its deadline.',
    failed: 'The passed deadlines could not be loaded',
    older: 'Show older',
    olderFailed: 'Older ones could not be loaded',
  },

  depth: {
    heading: 'Queue size',
    reach: { full: 'last 6 hours', all: 'since the project was created', least: 'last 10 minutes' },
    nothing: 'Nothing was waiting.',
    most: (now: string, most: string, time: string) => `${now} now, peak ${most} at ${time}.`,
    still: (now: string) => `${now} now (peak).`,
    now: 'now',
    failed: 'The queue size could not be loaded',
    toAnalytics: 'Analytics',
  },

  people: {
    heading: 'Reviewing now',
    nobody: 'Nobody is reviewing.',
    holding: (items: string, people: string) => `${items}, ${people}`,
    items: (count: number) => (count === 1 ? '1 item' : `${count} items`),
    people: (count: number) => (count === 1 ? '1 reviewer' : `${count} reviewers`),
    more: (count: number) => `and ${count} more`,
  },

  rules: { heading: 'Routing', link: 'Rules' },

  webhook: {
    heading: 'Webhook',
    unset: 'No webhook URL. Decisions are only available through the API.',
    to: (host: string) => `to ${host}`,
    toDeliveries: 'Deliveries',
    toWebhook: 'Set up the webhook',
    errors: 'Last errors',
    none: (count: string) =>
      count === '1' ? 'No error in the last delivery.' : `No errors in the last ${count} deliveries.`,
    noDelivery: 'No deliveries yet.',
    retrying: 'retrying',
    next: (when: string) => `next retry ${when}`,
    noAnswer: 'no response',
    failed: 'The last errors could not be loaded',
  },
} as const;
