// Rules PM5, PM6 and PM8: what an offer shows to its wallet, and when a wallet is added without an offer.
import type { Role } from '@countersign/shared/enums';

/** What the wallet of an offer sees: who offers which role, and nothing else of the project. */
export interface OwnOfferView {
  id: string;
  role: Role;
  /** Their present role in that project; null for someone who is not a member. */
  presentRole: Role | null;
  createdAt: Date;
  expiresAt: Date;
  projectName: string;
  by: { name: string | null; address: string };
}

/** A wallet whose offers a person refuses (PM9). */
export interface RefusedView {
  userId: string;
  address: string;
  name: string;
  refusedAt: Date;
}

export interface Known {
  /** The wallet's present role in the project; null for someone who is not a member. */
  role: Role | null;
  /** It is a member of another project together with the person who adds it. */
  sharesProject: boolean;
  /** Its person allowed direct adding. */
  allowsDirect: boolean;
  /** The operator blocked it (A20). */
  blocked: boolean;
  /** Its person refuses the offers of the person who adds it (PM9). */
  refuses: boolean;
}

/**
 * Whether the wallet gets the role immediately; otherwise it gets an offer. An owner is responsible for a project, and the last
 * owner cannot leave (PM1), so nobody becomes an owner without accepting, even if they allowed direct adding.
 */
export function isAddedDirectly(known: Known, to: Role): boolean {
  const { role, sharesProject, allowsDirect, blocked, refuses } = known;
  if (to === 'owner') return role === 'owner';
  return role !== null || (sharesProject && allowsDirect && !blocked && !refuses);
}
