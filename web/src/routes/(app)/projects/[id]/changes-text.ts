// Every string of the change log.
import type { ChangeAction, ChangeKind } from '@countersign/shared/api/changes';

/** Round what it was done to; `alone` where that is nothing in particular, or whoever did it. */
export interface Phrase {
  of: readonly [string, string];
  alone: string;
}

const alone = (text: string): Phrase => ({ of: [`${text}: `, ''], alone: text });

export const changesWords = {
  heading: 'Change log',
  lead: 'Everything that was changed here, newest first. Lines are never changed or removed.',
  columns: { when: 'When', who: 'Who', what: 'What' },
  filter: 'Kind of change',
  everything: 'Everything',
  kinds: {
    project: 'Project',
    settings: 'Settings',
    member: 'People',
    invite: 'Invites',
    offer: 'Offers',
    key: 'API keys',
    source: 'Inbound sources',
    webhook: 'Webhook',
    cluster: 'Reasons',
    learning: 'Learnings',
  } satisfies Record<ChangeKind, string>,

  failed: 'The change log could not be loaded',
  stale: 'The change log could not be refreshed',
  olderFailed: 'Older changes could not be loaded',
  older: 'Show older',
  all: 'This is where the log begins.',
  empty: 'Nothing was changed yet',
  emptyText: 'Every change of settings, people, keys and the webhook is written here.',
  emptyKind: 'No change of this kind yet',
  showAll: 'Show everything',
  compare: 'Compare',
  compareLabel: (label: string) => `Compare ${label}`,
  began: 'Settings it began with',

  phrases: {
    'project.created': alone('created the project'),
    'project.archived': alone('archived the project'),
    'project.restored': alone('restored the project'),
    'project.deleted': alone('deleted the project'),
    'project.stopped': alone('stopped the project: everything goes to people'),
    'project.released': alone('released the stop'),
    'settings.changed': { of: ['changed the settings to ', ''], alone: 'changed the settings' },
    'member.joined': { of: ['added ', ' to the pool'], alone: 'joined the pool' },
    'member.changed': { of: ['changed the role of ', ''], alone: 'changed their own role' },
    'member.left': { of: ['took ', ' out of the pool'], alone: 'left the pool' },
    'invite.made': { of: ['made an invite for ', ''], alone: 'made an invite' },
    'invite.revoked': { of: ['revoked the invite for ', ''], alone: 'revoked an invite' },
    'offer.made': { of: ['offered a seat to ', ''], alone: 'offered a seat' },
    'offer.revoked': { of: ['revoked the offer to ', ''], alone: 'revoked an offer' },
    'offer.declined': { of: ['declined the offer to ', ''], alone: 'declined an offer' },
    'key.made': { of: ['made the key ', ''], alone: 'made a key' },
    'key.revoked': { of: ['revoked the key ', ''], alone: 'revoked a key' },
    'source.made': { of: ['added the source ', ''], alone: 'added a source' },
    'source.removed': { of: ['removed the source ', ''], alone: 'removed a source' },
    'webhook.secret_made': alone('made a new webhook secret'),
    'webhook.secret_promoted': alone('put the new webhook secret first'),
    'webhook.tested': alone('sent a test event'),
    'webhook.resumed': alone('resumed the paused webhook'),
    'cluster.renamed': { of: ['renamed the reason ', ''], alone: 'renamed a reason' },
    'cluster.merged': { of: ['merged the reason ', ' into another one'], alone: 'merged two reasons' },
    'cluster.split': { of: ['split off the reason ', ''], alone: 'split a reason' },
    'cluster.restored': { of: ['took the reason ', ' out of another one again'], alone: 'took back a merge' },
    'learning.excluded': { of: ['left out a learning of ', ''], alone: 'left out a learning' },
    'learning.included': { of: ['put a learning of ', ' in again'], alone: 'put a learning in again' },
  } satisfies Record<ChangeAction, Phrase>,
  renamed: { of: ['changed the name of ', ''], alone: 'changed their own name' } satisfies Phrase,
  other: alone('changed something'),

  labels: { role: 'role', name: 'name' },
  edited: 'edited',
  below: 'see below',
  none: 'none',
  details: {
    last4: (value: string) => `ends in ${value}`,
    scopes: (value: string) => `may ${value}`,
    expires_at: (value: string) => `until ${value}`,
    invitedBy: (name: string) => `by an invite of ${name}`,
    offeredBy: (name: string) => `by an offer of ${name}`,
    invitesRevoked: (count: number) =>
      count === 1 ? 'ends 1 open invite of theirs' : `ends ${count} open invites of theirs`,
    offersRevoked: (count: number) => (count === 1 ? 'ends 1 open offer' : `ends ${count} open offers`),
    wallet: (address: string) => `wallet ${address}`,
    goodFor: (hours: number) => `good for ${hours} h`,
    to: (url: string) => `to ${url}`,
    unsaved: 'not saved yet',
    answered: (status: number) => `answered ${status}`,
    failed: (error: string) => `failed: ${error}`,
    firstFrom: (when: string) => `signs first by itself from ${when}`,
    oldUntil: (when: string) => `the old one signs until ${when}`,
    note: (note: string) => `“${note}”`,
    reasons: (reasons: readonly string[]) => reasons.map((reason) => `“${reason}”`).join(', '),
    other: (label: string, value: string) => `${label} ${value}`,
  },
} as const;
