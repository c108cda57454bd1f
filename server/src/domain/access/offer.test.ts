// PM5, PM6 and PM8: which combinations of facts give a wallet a role without its consent.
import { ROLES } from '@countersign/shared/enums';
import { describe, expect, it } from 'vitest';
import { isAddedDirectly } from './offer.ts';

const BOTH = [false, true];
const NOBODY = { role: null, sharesProject: false, allowsDirect: false, blocked: false, refuses: false };

const CASES = [null, ...ROLES].flatMap((role) =>
  BOTH.flatMap((sharesProject) =>
    BOTH.flatMap((allowsDirect) =>
      [
        { blocked: false, refuses: false },
        { blocked: true, refuses: false },
        { blocked: false, refuses: true },
      ].map((against) => ({ role, sharesProject, allowsDirect, ...against })),
    ),
  ),
);

describe('PM6: a role below owner is given without an offer to a member, or to someone known who allowed it', () => {
  it.each(CASES)('decides whether a wallet known as %j becomes a reviewer without an offer', (known) => {
    const allowed = known.sharesProject && known.allowsDirect && !known.blocked && !known.refuses;
    for (const to of ['reviewer', 'supervisor'] as const)
      expect(isAddedDirectly(known, to)).toBe(known.role === null ? allowed : true);
  });

  it('PM6: not to a stranger, and not to someone who shares a project but did not allow it', () => {
    expect(isAddedDirectly(NOBODY, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, sharesProject: true }, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, allowsDirect: true }, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, sharesProject: true, allowsDirect: true }, 'reviewer')).toBe(true);
  });
});

describe('PM8: nobody becomes an owner without accepting', () => {
  it.each(CASES)('offers ownership to a wallet known as %j unless it is an owner already', (known) =>
    expect(isAddedDirectly(known, 'owner')).toBe(known.role === 'owner'),
  );
});
