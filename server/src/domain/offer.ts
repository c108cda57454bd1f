// Rules PM5 and PM6: when a wallet is asked first, what it is told, and when it is added at once.
import type { Role } from '@countersign/shared/words';

/** What the wallet of an offer is told: who offers what, and nothing else of the project. */
export interface OwnOfferView {
  id: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date;
  projectName: string;
  by: { name: string | null; address: string };
}

export interface Known {
  /** The wallet is a member of the project already: this is a change of its role. */
  member: boolean;
  /** It is a member of another project in which whoever adds is one too. */
  sharesProject: boolean;
  /** Its person allowed direct adding. */
  allowsDirect: boolean;
  /** The operator blocked it (A20). */
  blocked: boolean;
}

/** Whether the wallet gets its seat at once; otherwise it is offered one. */
export function isAddedAtOnce({ member, sharesProject, allowsDirect, blocked }: Known): boolean {
  return member || (sharesProject && allowsDirect && !blocked);
}
