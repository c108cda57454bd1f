// Every string of the page of one's sessions.

export const messages = {
  page: 'Sessions',
  lead: 'The browsers you are signed in with. A session ends after an hour without use, and twelve hours after its sign-in at the latest.',
  failed: 'Your sessions could not be loaded',
  stale: 'This list could not be refreshed',
  columns: { browser: 'Browser', since: 'Signed in', seen: 'Last used', ends: 'Ends at the latest' },
  unknown: 'Unknown browser',
  current: 'this one',
  now: 'now',
  end: 'End',
  endLabel: (device: string, since: string) => `End the session of ${device}, signed in ${since}`,
  ended: (device: string) => `The session of ${device} has ended`,
  othersEnded: 'All other sessions have ended',
  endFailed: 'The session goes on',
  endOthers: 'End all others',
  endOthersTitle: 'End all other sessions?',
  endOthersText: 'They are signed out at once, wherever they are. This browser stays signed in.',
  endOthersFailed: 'The other sessions go on',
} as const;
