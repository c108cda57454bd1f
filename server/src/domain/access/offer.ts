// Rules PM5, PM6 and PM8: when a wallet is asked first, what it is told, and when it is added at once.
import type { Role } from '@countersign/shared/enums';

/** What the wallet of an offer is told: who offers what, and nothing else of the project. */
export interface OwnOfferView {
  id: string;
  role: Role;
  /** What they are there already; null for who is no member. */
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
  /** What the wallet is in the project already: null for who is no member. */
  role: Role | null;
  /** It is a member of another project in which whoever adds is one too. */
  sharesProject: boolean;
  /** Its person allowed direct adding. */
  allowsDirect: boolean;
  /** The operator blocked it (A20). */
  blocked: boolean;
  /** Its person refuses the offers of whoever adds (PM9). */
  refuses: boolean;
}

/**
 * Whether the wallet has the role at once; otherwise it is offered. Whoever owns a project answers for it, and the last owner
 * cannot leave (PM1), so nobody becomes one without accepting, whatever they allowed.
 */
export function isAddedDirectly(known: Known, to: Role): boolean {
  const { role, sharesProject, allowsDirect, blocked, refuses } = known;
  if (to === 'owner') return role === 'owner';
  return role !== null || (sharesProject && allowsDirect && !blocked && !refuses);
}
