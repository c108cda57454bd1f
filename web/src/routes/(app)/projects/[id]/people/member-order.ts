// Searches and sorts the members of a large pool.
import { personName } from '#lib/format/format.ts';
import type { Member } from '@countersign/shared/schemas/projects';
import { ROLES } from '@countersign/shared/enums';

export const MEMBER_ORDERS = ['joined', 'name', 'role', 'holding'] as const;
export type MemberOrder = (typeof MEMBER_ORDERS)[number];

/** From this many on, a list is searched and sorted rather than read. */
export const SEARCH_FROM = 8;

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Members whose name or address contains every word of the search, in any spelling; as they came for an empty one. */
export function membersFor(members: readonly Member[], search: string): readonly Member[] {
  const words = fold(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return members;
  return members.filter((member) => {
    const text = fold(`${member.name ?? ''} ${member.address}`);
    return words.every((word) => text.includes(word));
  });
}

const byName = (a: Member, b: Member) => personName(a).localeCompare(personName(b));
const rank = ({ role }: Member) => ROLES.indexOf(role);

const COMPARE: Record<Exclude<MemberOrder, 'joined'>, (a: Member, b: Member) => number> = {
  name: byName,
  /** The role with most permissions first. */
  role: (a, b) => rank(b) - rank(a) || byName(a, b),
  holding: (a, b) => b.holding - a.holding || byName(a, b),
};

/** In the chosen order; `joined` is the order in which the service lists them, oldest member first. */
export const inOrder = (members: readonly Member[], order: MemberOrder): readonly Member[] =>
  order === 'joined' ? members : members.toSorted(COMPARE[order]);
