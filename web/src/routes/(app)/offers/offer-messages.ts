// Texts of the user's membership offers.
import type { Role } from '@countersign/shared/enums';
import type { Sentence } from '#lib/messages/sentence.ts';

const roleWithArticle: Record<Role, string> = { reviewer: 'a reviewer', supervisor: 'a supervisor', owner: 'an owner' };

export const offerMessages = {
  region: 'Membership offers',
  /** Between the offering user and the project. */
  offers: (role: Role) => ` offers you a membership as ${role} in `,
  /** The addition for a present member. */
  present: (role: Role) => `You're already ${roleWithArticle[role]} there, and stay one if you decline.`,
  from: 'from',
  offered: (when: string) => `offered ${when}`,
  until: (when: string) => `expires ${when}`,
  more: (count: number, andMore: boolean) =>
    andMore
      ? `More than ${count} offers after this one.`
      : count === 1
        ? '1 more offer after this one.'
        : `${count} more offers after this one.`,
  all: 'See all',
  refuse: 'Decline all from this wallet, now and in future',
  accept: 'Accept',
  acceptLabel: (project: string) => `Accept the membership in ${project}`,
  decline: 'Decline',
  declineLabel: (project: string) => `Decline the membership in ${project}`,
  failed: "Couldn't save that.",
  joined: (project: string, role: Role): Sentence => [`You're now ${roleWithArticle[role]} in `, project, '.'],
  toProject: 'Open project',
  close: 'Close',
  waiting: (count: number, andMore: boolean) => (count === 1 ? '1 offer' : `${count}${andMore ? '+' : ''} offers`),
} as const;
