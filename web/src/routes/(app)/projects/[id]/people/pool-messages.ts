// Every string of the reviewer pool: its members, the invites into it, and the seats that are offered.
import type { Role } from '@countersign/shared/enums';

const items = (count: number) => (count === 1 ? '1 item' : `${count} items`);

const aRole: Record<Role, string> = { reviewer: 'a reviewer', supervisor: 'a supervisor', owner: 'an owner' };

export const poolMessages = {
  heading: 'Reviewer pool',
  columns: { person: 'Person', role: 'Role' },
  you: 'you',
  unnamed: 'no name',
  holds: (count: number) => `holds ${items(count)}`,
  roles: { reviewer: 'Reviewer', supervisor: 'Supervisor', owner: 'Owner' } satisfies Record<Role, string>,
  roleHints: {
    reviewer: 'Claims and decides queued items.',
    supervisor: 'Also decides escalated items, sees analytics, learnings and deliveries.',
    owner: 'Also changes rules, keys, sources, the webhook and people.',
  } satisfies Record<Role, string>,
  roleOf: (name: string) => `Role of ${name}`,
  copy: (name: string) => `Copy the address of ${name}`,
  failed: 'The people could not be loaded',
  only: 'Only owners see who is in the pool',

  add: 'Offer a seat',
  addText:
    'They see the offer when they sign in with this wallet, and join when they accept it. It is open for 14 days.',
  address: 'Wallet address',
  addressFault: 'A Solana address has 32 to 44 letters and digits.',
  role: 'Role',
  submit: 'Offer the seat',
  addFailed: 'Nothing was offered',
  added: (name: string, role: Role) => `${name} is ${aRole[role]} now.`,
  offered: (address: string) => `Seat offered to ${address}. They join when they accept it.`,

  offers: 'Open offers',
  offersFailed: 'The offers could not be loaded',
  noOffers: 'None. A seat you offer is listed here until it is accepted or declined.',
  moreOffers: 'Show more',
  until: (when: string) => `open until ${when}`,
  revokeOfferLabel: (role: string, whom: string) => `Revoke the offer as ${role} to ${whom}`,
  revokeOfferFailed: 'The offer was not revoked',

  asked: (name: string, role: Role) =>
    `${name} is asked to become an owner, and stays ${aRole[role]} until they accept.`,
  ownerAsked: 'asked to become an owner',
  changed: (name: string, role: Role) => `${name} is ${aRole[role]} now.`,
  removed: (name: string) => `${name} is out of the pool.`,
  changeFailed: 'Nothing was changed',
  remove: 'Remove',
  removeLabel: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'They lose access at once. What they decided stays.',
  givenBack: (count: number) =>
    count === 1 ? 'The item they hold goes back to the queue.' : `The ${items(count)} they hold go back to the queue.`,
  leave: 'Leave',
  leaveTitle: 'Leave this project?',
  leaveText: 'You lose access at once, until an owner lets you in again. What you decided stays.',
  givenBackByYou: (count: number) =>
    count === 1 ? 'The item you hold goes back to the queue.' : `The ${items(count)} you hold go back to the queue.`,
  lower: (role: Role) => `Make ${aRole[role]}`,
  lowerTitle: (name: string, role: Role) => `Make ${name} ${aRole[role]}?`,
  lowerYourselfTitle: (role: Role) => `Make yourself ${aRole[role]}?`,
  lowerOwner: 'Rules, keys, the webhook and people are out of reach then, and invites and offers made as owner end.',
  lowerSupervisor: 'Escalated items, analytics, learnings and deliveries are out of reach then.',
  lowerClaims: 'Escalated items that are held go back to the queue.',

  revokeKeys: (count: number) =>
    count === 1 ? 'Also revoke the API key they made' : `Also revoke the ${count} API keys they made`,
  revokeOwnKeys: (count: number) =>
    count === 1 ? 'Also revoke the API key you made' : `Also revoke the ${count} API keys you made`,
  keysStay: 'Otherwise pipelines that use them keep working.',

  rename: 'Name',
  renameLabel: (name: string) => `Change the name of ${name}`,
  renameTitle: 'What is your name?',
  renameText: 'Every project you are in shows it.',
  save: 'Save',

  invite: 'Invite by link',
  inviteText: 'Whoever opens the link first joins, after signing in with a wallet. It works once.',
  onlyFor: 'Only for this wallet (optional)',
  expiry: 'Good for',
  expiries: [
    { value: '24', label: '1 day' },
    { value: '72', label: '3 days' },
    { value: '168', label: '1 week' },
    { value: '720', label: '30 days' },
  ],
  makeInvite: 'Make a link',
  inviteFailed: 'No invite was made',
  link: 'Invite link',
  linkText: (role: Role) => `Send it to the person who is to be ${aRole[role]} here.`,
  invites: 'Open invites',
  invitesFailed: 'The invites could not be loaded',
  noInvites: 'None. A link you make is listed here until it is used.',
  anyone: 'anyone with the link',
  ends: (when: string) => `ends ${when}`,
  by: (name: string) => `by ${name}`,
  revoke: 'Revoke',
  revokeLabel: (role: string, whom: string) => `Revoke the invite as ${role} for ${whom}`,
  revokeFailed: 'The invite was not revoked',
} as const;
