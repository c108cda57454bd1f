// Rule PM: the permissions of each role as a table written by hand, and the abilities sent with each object.
import { describe, expect, it } from 'vitest';
import { ABILITIES, ITEM_STATUSES, ROLES, type Ability, type ItemStatus, type Role } from '@countersign/shared/enums';
import {
  itemAbilities,
  may,
  projectAbilities,
  PERMISSIONS,
  type ItemSituation,
  type Permission,
} from './permissions.ts';

/** Each row: reviewer, supervisor, owner. */
const TABLE: Record<Permission, [boolean, boolean, boolean]> = {
  see_queue: [true, true, true],
  decide_queued: [true, true, true],
  decide_escalated: [false, true, true],
  take_over: [false, true, true],
  bulk_claim: [false, true, true],
  reopen: [false, true, true],
  revise: [false, true, true],
  extend_deadline: [false, true, true],
  answer_mistakes: [false, true, true],
  see_analytics: [false, true, true],
  see_learnings: [false, true, true],
  shape_clusters: [false, true, true],
  exclude_learnings: [false, true, true],
  start_regressions: [false, true, true],
  see_deliveries: [false, true, true],
  replay_deliveries: [false, true, true],
  stop_project: [false, true, true],
  change_settings: [false, false, true],
  manage_keys: [false, false, true],
  manage_webhook: [false, false, true],
  manage_members: [false, false, true],
  manage_project: [false, false, true],
};

describe('PM: the table', () => {
  const cells = ROLES.flatMap((role, column) =>
    PERMISSIONS.map((permission) => [role, permission, TABLE[permission][column]] as const),
  );

  it('covers every permission', () => {
    expect(ROLES).toEqual(['reviewer', 'supervisor', 'owner']);
    expect(Object.keys(TABLE).sort()).toEqual([...PERMISSIONS].sort());
    expect(cells).toHaveLength(66);
  });

  it.each(cells)('a %s and %s: %s', (role, permission, allowed) => {
    expect(may(role, permission)).toBe(allowed);
  });

  it('a higher role may do everything that a lower one may', () => {
    for (const permission of PERMISSIONS) {
      const [reviewer, supervisor, owner] = ROLES.map((role) => may(role, permission));
      expect([reviewer && !supervisor, supervisor && !owner]).toEqual([false, false]);
    }
  });

  it('an unknown role may do nothing', () => {
    for (const permission of PERMISSIONS)
      for (const role of ['', 'admin', 'Owner']) expect(may(role as Role, permission)).toBe(false);
  });
});

/** The abilities that are granted. */
const on = (abilities: Record<Ability, boolean>) => ABILITIES.filter((ability) => abilities[ability]);

describe('PM: the abilities sent with a project', () => {
  it.each<[Role, Ability[]]>([
    ['reviewer', []],
    [
      'supervisor',
      [
        'take_over',
        'bulk_claim',
        'reopen',
        'revise',
        'answer_mistakes',
        'see_analytics',
        'see_learnings',
        'see_deliveries',
        'stop_project',
      ],
    ],
    [
      'owner',
      [
        'take_over',
        'bulk_claim',
        'reopen',
        'revise',
        'answer_mistakes',
        'see_analytics',
        'see_learnings',
        'see_deliveries',
        'stop_project',
        'change_settings',
        'manage_keys',
        'manage_webhook',
        'manage_members',
        'manage_project',
      ],
    ],
  ])('sends the abilities of a %s', (role, expected) => {
    const abilities = projectAbilities(role, false);
    expect(Object.keys(abilities).sort()).toEqual([...ABILITIES].sort());
    expect(on(abilities)).toEqual(expected);
  });
});

describe('AR1: the abilities sent with an archived project', () => {
  it.each<[Role, Ability[]]>([
    ['reviewer', []],
    ['supervisor', ['see_analytics', 'see_learnings', 'see_deliveries']],
    ['owner', ['see_analytics', 'see_learnings', 'see_deliveries', 'manage_project']],
  ])('for a %s: reading, and for owners restoring', (role, expected) => {
    expect(on(projectAbilities(role, true))).toEqual(expected);
  });
});

describe('PM: the abilities sent with an item', () => {
  const me = 'me';
  const someone = 'someone else';
  const OPEN = {
    ...{ archived: false, holder: null, undoableBy: null, claimLimitReached: false },
    ...{ rejectedByRouting: false, revisable: false },
    extendable: false,
  };

  const abilitiesOf = (role: Role, situation: Partial<ItemSituation> & { status: ItemStatus }) =>
    on(itemAbilities({ userId: me, role }, { ...OPEN, ...situation }));

  it.each<[Role, ItemStatus, string | null, Ability[]]>([
    ['reviewer', 'queued', null, ['claim']],
    ['reviewer', 'queued', me, ['claim', 'decide']],
    ['reviewer', 'queued', someone, []],
    ['reviewer', 'escalated', null, []],
    ['reviewer', 'escalated', me, []],
    ['supervisor', 'queued', null, ['claim']],
    ['supervisor', 'escalated', null, ['claim']],
    ['supervisor', 'escalated', me, ['claim', 'decide']],
    ['supervisor', 'queued', someone, ['take_over']],
    ['supervisor', 'escalated', someone, ['take_over']],
    ['owner', 'queued', someone, ['take_over']],
    ['reviewer', 'escalated', someone, []],
    ['owner', 'queued', me, ['claim', 'decide']],
    ['owner', 'escalated', null, ['claim']],
    ['owner', 'escalated', me, ['claim', 'decide']],
  ])('a %s, %s, held by %s: %j', (role, status, holder, expected) => {
    expect(abilitiesOf(role, { status, holder })).toEqual(expected);
  });

  it('LC4: at the claim limit nothing more can be claimed, and held items can still be decided', () => {
    for (const role of ROLES)
      for (const holder of [null, someone])
        expect(abilitiesOf(role, { status: 'queued', holder, claimLimitReached: true })).toEqual([]);
    expect(abilitiesOf('reviewer', { status: 'queued', holder: me, claimLimitReached: true })).toEqual([
      'claim',
      'decide',
    ]);
  });

  it('a decided item can be neither claimed nor decided by anybody', () => {
    const decided = ITEM_STATUSES.filter((status) => status !== 'queued' && status !== 'escalated');
    expect(decided).toHaveLength(6);
    for (const role of ROLES)
      for (const status of decided) {
        expect(abilitiesOf(role, { status })).toEqual([]);
        expect(abilitiesOf(role, { status, holder: me })).toEqual([]);
      }
  });

  it.each(ROLES)('AR1: in an archived project a %s may undo their own decision, and nothing else', (role) => {
    const archived = { archived: true, holder: me, rejectedByRouting: true, revisable: true };
    for (const status of ITEM_STATUSES) expect(abilitiesOf(role, { ...archived, status })).toEqual([]);
    for (const status of ['queued', 'escalated'] as const)
      for (const holder of [null, someone]) expect(abilitiesOf(role, { ...archived, status, holder })).toEqual([]);
    expect(abilitiesOf(role, { ...archived, status: 'approved', undoableBy: me })).toEqual(['undo']);
  });

  it('LC2: only the author of a provisional decision may undo it, in every role', () => {
    for (const role of ROLES) {
      expect(abilitiesOf(role, { status: 'approved', undoableBy: me })).toEqual(['undo']);
      expect(abilitiesOf(role, { status: 'approved', undoableBy: someone })).toEqual([]);
    }
  });

  it('LC: what routing rejected may be reopened by supervisors and owners, what a person rejected by nobody', () => {
    const reopening = (role: Role, rejectedByRouting: boolean) =>
      abilitiesOf(role, { status: 'rejected', rejectedByRouting });
    expect(ROLES.map((role) => reopening(role, true))).toEqual([[], ['reopen'], ['reopen']]);
    expect(ROLES.map((role) => reopening(role, false))).toEqual([[], [], []]);
  });

  it('RV1: what is final may be revised by supervisors and owners', () => {
    const revising = (revisable: boolean) => ROLES.map((role) => abilitiesOf(role, { status: 'approved', revisable }));
    expect(revising(true)).toEqual([[], ['revise'], ['revise']]);
    expect(revising(false)).toEqual([[], [], []]);
  });

  it('DL5: supervisors and owners may extend the deadline of an item that somebody holds, but not in an archived project', () => {
    const extending = (role: Role, archived: boolean) =>
      itemAbilities({ userId: me, role }, { ...OPEN, status: 'queued', holder: someone, extendable: true, archived })
        .extend_deadline;
    expect(ROLES.map((role) => extending(role, false))).toEqual([false, true, true]);
    expect(ROLES.map((role) => extending(role, true))).toEqual([false, false, false]);
  });

  it('names every ability, so that a page never has to guess', () => {
    const abilities = itemAbilities({ userId: me, role: 'owner' }, { ...OPEN, status: 'queued' });
    expect(Object.keys(abilities).sort()).toEqual([...ABILITIES].sort());
  });
});
