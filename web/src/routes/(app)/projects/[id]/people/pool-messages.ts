// Texts of the reviewer pool: its members, invites and offers.
import type { Role } from '@countersign/shared/enums';

const items = (count: number) => (count === 1 ? '1 claimed item' : `${count} claimed items`);

const aRole: Record<Role, string> = { reviewer: 'a reviewer', supervisor: 'a supervisor', owner: 'an owner' };

export const poolMessages = {
  heading: 'Members',
  columns: { person: 'Person', role: 'Role' },
  search: 'Search members',
  order: 'Sort members',
  orders: { joined: 'Oldest member first', name: 'By name', role: 'By role', holding: 'Most claimed items first' },
  found: (n: number) => (n === 1 ? '1 member' : `${n} members`),
  figures: 'Pace, overrides and hours',
  you: 'you',
  unnamed: '(no name)',
  holds: items,
  roles: { reviewer: 'Reviewer', supervisor: 'Supervisor', owner: 'Owner' } satisfies Record<Role, string>,
  roleHints: {
    reviewer: 'Claims and decides queued items.',
    supervisor: 'Also decides escalated items, sees analytics, learnings and deliveries.',
    owner: 'Also changes rules, keys, sources, the webhook and people.',
  } satisfies Record<Role, string>,
  roleOf: (name: string) => `Role of ${name}`,
  copy: (name: string) => `Copy wallet address of ${name}`,
  failed: 'The members could not be loaded',
  only: 'Only owners can see members',

  add: 'Offer membership',
  addText:
    'They see the offer when they sign in with this wallet, and join when they accept it. It is open for 14 days.',
  address: 'Wallet address',
  addressFault: 'A Solana address has 32 to 44 letters and digits.',
  role: 'Role',
  submit: 'Offer membership',
  addFailed: 'The membership was not offered',
  added: (name: string, role: Role) => `${name} is now ${aRole[role]}.`,
  offered: (address: string) => `Membership offered to ${address}. They join when they accept it.`,

  offers: 'Open offers',
  offersFailed: 'The offers could not be loaded',
  noOffers: 'No open offers. An offer is listed here until it is accepted or declined.',
  moreOffers: 'Show more',
  until: (when: string) => `expires ${when}`,
  revokeOfferLabel: (role: string, whom: string) => `Revoke the offer as ${role} to ${whom}`,
  revokeOfferFailed: 'The offer was not revoked',

  asked: (name: string, role: Role) =>
    `${name} was asked to become an owner and stays ${aRole[role]} until they accept.`,
  ownerAsked: 'asked to become an owner',
  changed: (name: string, role: Role) => `${name} is now ${aRole[role]}.`,
  removed: (name: string) => `Removed ${name}.`,
  changeFailed: 'The change was not saved',
  remove: 'Remove',
  removeLabel: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'They lose access immediately. Their past decisions remain.',
  givenBack: (count: number) =>
    count === 1 ? 'Their claimed item returns to the queue.' : `Their ${items(count)} return to the queue.`,
  leave: 'Leave',
  leaveTitle: 'Leave this project?',
  leaveText: 'You lose access immediately, until an owner adds you again. Your past decisions remain.',
  givenBackByYou: (count: number) =>
    count === 1 ? 'Your claimed item returns to the queue.' : `Your ${items(count)} return to the queue.`,
  lower: (role: Role) => `Make ${aRole[role]}`,
  lowerTitle: (name: string, role: Role) => `Make ${name} ${aRole[role]}?`,
  lowerYourselfTitle: (role: Role) => `Make yourself ${aRole[role]}?`,
  lowerOwner:
    'This removes access to rules, keys, the webhook and people, and revokes invites and offers made as owner.',
  lowerSupervisor: 'This removes access to escalated items, analytics, learnings and deliveries.',
  lowerClaims: 'Claimed escalated items return to the queue.',

  revokeKeys: (count: number) =>
    count === 1 ? 'Also revoke the API key they created' : `Also revoke the ${count} API keys they created`,
  revokeOwnKeys: (count: number) =>
    count === 1 ? 'Also revoke the API key you created' : `Also revoke the ${count} API keys you created`,
  keysStay: 'Otherwise, pipelines that use these keys keep working.',

  rename: 'Name',
  renameLabel: (name: string) => `Change the name of ${name}`,
  renameTitle: 'Your name',
  renameText: 'Shown in all your projects.',
  save: 'Save',

  invite: 'Invite by link',
  inviteText: 'The first person to open the link and sign in with a wallet joins. Single use.',
  onlyFor: 'Restrict to wallet (optional)',
  expiry: 'Expires in',
  expiries: [
    { value: '24', label: '1 day' },
    { value: '72', label: '3 days' },
    { value: '168', label: '1 week' },
    { value: '720', label: '30 days' },
  ],
  makeInvite: 'Create link',
  inviteFailed: 'The link was not created',
  link: 'Invite link',
  linkText: (role: Role) => `Send this to the person you want as ${aRole[role]}.`,
  invites: 'Open invites',
  invitesFailed: 'The invites could not be loaded',
  noInvites: 'No open invites. A link is listed here until it is used.',
  anyone: 'anyone with the link',
  ends: (when: string) => `expires ${when}`,
  by: (name: string) => `by ${name}`,
  revoke: 'Revoke',
  revokeLabel: (role: string, whom: string) => `Revoke the invite as ${role} for ${whom}`,
  revokeFailed: 'The invite was not revoked',
} as const;
