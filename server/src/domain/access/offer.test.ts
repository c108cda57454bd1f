// PM5, PM6 and PM8: of everything that can be so, what gives a wallet a role without asking it.
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

describe('PM6: a role below owner is given at once', () => {
  it.each(CASES)('%j', (known) => {
    const allowed = known.sharesProject && known.allowsDirect && !known.blocked && !known.refuses;
    for (const to of ['reviewer', 'supervisor'] as const)
      expect(isAddedDirectly(known, to)).toBe(known.role === null ? allowed : true);
  });

  it('not to a stranger, nor to who shares a project and was not asked', () => {
    expect(isAddedDirectly(NOBODY, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, sharesProject: true }, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, allowsDirect: true }, 'reviewer')).toBe(false);
    expect(isAddedDirectly({ ...NOBODY, sharesProject: true, allowsDirect: true }, 'reviewer')).toBe(true);
  });
});

describe('PM8: nobody is made an owner', () => {
  it.each(CASES)('%j', (known) => expect(isAddedDirectly(known, 'owner')).toBe(known.role === 'owner'));
});
