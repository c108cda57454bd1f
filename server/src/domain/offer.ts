// Rules PM5 and PM6: when a wallet is asked first, and when it is added at once.

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
