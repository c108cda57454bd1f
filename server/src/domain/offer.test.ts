// PM5 and PM6: of everything that can be so, what lets a wallet in without being asked.
import { describe, expect, it } from 'vitest';
import { isAddedAtOnce } from './offer.ts';

const BOTH = [false, true];

describe('PM6: a wallet is added at once', () => {
  const cases = BOTH.flatMap((member) =>
    BOTH.flatMap((sharesProject) =>
      BOTH.flatMap((allowsDirect) => BOTH.map((blocked) => ({ member, sharesProject, allowsDirect, blocked }))),
    ),
  );
  it.each(cases)('%j', (known) => {
    const allowed = known.sharesProject && known.allowsDirect && !known.blocked;
    expect(isAddedAtOnce(known)).toBe(known.member ? true : allowed);
  });

  it('PM5: a stranger is not, nor who shares a project and was not asked', () => {
    const nothing = { member: false, sharesProject: false, allowsDirect: false, blocked: false };
    expect(isAddedAtOnce(nothing)).toBe(false);
    expect(isAddedAtOnce({ ...nothing, sharesProject: true })).toBe(false);
    expect(isAddedAtOnce({ ...nothing, allowsDirect: true })).toBe(false);
    expect(isAddedAtOnce({ ...nothing, sharesProject: true, allowsDirect: true })).toBe(true);
  });
});
