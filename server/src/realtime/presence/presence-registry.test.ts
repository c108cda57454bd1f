// Tests that pages converge on the true presence, also after lost messages and crashed processes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPresenceChange, type PresenceByUser } from '@countersign/shared/presence';
import type { UserPresence } from '@countersign/shared/sockets';
import type { PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
import { PresenceRegistry } from './presence-registry.ts';
import { NO_LOCATION, Tabs } from './presence.ts';

const PROJECTS = ['north', 'south'];
const USERS = ['ana', 'bo', 'cem', 'dia'];
const PROCESSES = ['own', 'second', 'third'];

const where: fc.Arbitrary<PresenceReport> = fc
  .record({
    project: fc.constantFrom(null, ...PROJECTS, 'elsewhere'),
    item: fc.constantFrom('1', '2'),
    idle: fc.boolean(),
  })
  .map(({ project, item, idle }) => ({ project_id: project, item_id: project === null ? null : item, idle }));
const act = fc.record({
  what: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'move', 'move', 'name', 'die'),
  tab: fc.nat(15),
  project: fc.constantFrom(...PROJECTS),
  where,
  /** The message about it is lost. */
  lost: fc.boolean(),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** The reference model: every open tab as it is. */
class Simulation {
  readonly tabs = new Map(PROCESSES.map((process) => [process, new Tabs()]));
  readonly registry = new PresenceRegistry();
  readonly open = new Map<string, { process: string; user: string; projects: Set<string>; where: PresenceReport }>();
  readonly names = new Map(USERS.map((user) => [user, user]));
  page: ReadonlyMap<string, PresenceByUser> = new Map();

  play({ what, tab, project, where, lost }: Act): void {
    const [process, user] = [PROCESSES[tab % 3] ?? '', USERS[Math.floor(tab / 4)] ?? ''];
    const id = `tab ${tab}`;
    const tabs = this.tabs.get(process);
    const known = this.open.get(id);
    if (tabs === undefined) return;
    if (what === 'enter') {
      tabs.enter(id, project, { userId: user, name: this.names.get(user) ?? '', where: known?.where ?? where });
      const entry = known ?? { process, user, projects: new Set<string>(), where };
      this.open.set(id, entry);
      entry.projects.add(project);
    }
    if (what === 'leave') {
      tabs.leave(id, project);
      known?.projects.delete(project);
      if (known?.projects.size === 0) this.open.delete(id);
    }
    if (what === 'move') {
      tabs.move(id, where);
      if (known) known.where = where;
    }
    if (what === 'name') {
      const name = `${user} ${tab}`;
      this.names.set(user, name);
      for (const each of this.tabs.values()) each.name(user, name);
    }
    if (what === 'die' && process !== 'own') {
      this.tabs.delete(process);
      this.registry.replace(process, []);
      for (const [other, entry] of this.open) if (entry.process === process) this.open.delete(other);
    }
    for (const [name, each] of this.tabs) {
      const changes = each.changes(each.pending());
      if (!lost || name === 'own') for (const change of changes) this.registry.take(name, change);
    }
  }

  beat(): void {
    for (const [process, tabs] of this.tabs) this.registry.replace(process, tabs.snapshot());
  }

  tell(): void {
    for (const change of this.registry.takeChanges(this.registry.pending())) {
      const known = this.page.get(change.project_id) ?? new Map<string, UserPresence>();
      this.page = new Map(this.page).set(change.project_id, applyPresenceChange(known, change));
    }
  }

  truth(project: string): UserPresence[] {
    return USERS.flatMap((user) => {
      const tabs = [...this.open.values()].filter((tab) => tab.user === user && tab.projects.has(project));
      const items = tabs.flatMap(({ where }) => (where.project_id === project ? (where.item_id ?? []) : []));
      const idle = tabs.every(({ where }) => where.idle);
      const name = this.names.get(user) ?? '';
      return tabs.length === 0 ? [] : [{ user_id: user, name, idle, viewing: [...new Set(items)].sort() }];
    });
  }

  seen(project: string): UserPresence[] {
    return [...(this.page.get(project)?.values() ?? [])].sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
  }
}

const acts = fc.array(act, { maxLength: 60 });

describe('PR1: the announced presence', () => {
  it('is correct after every message when none is lost', () => {
    fc.assert(
      fc.property(acts, (played) => {
        const town = new Simulation();
        for (const one of played) {
          town.play({ ...one, lost: false });
          town.tell();
          for (const project of PROJECTS) expect(town.seen(project)).toEqual(town.truth(project));
        }
      }),
    );
  });

  it('is correct again after the next heartbeat, after any loss', () => {
    fc.assert(
      fc.property(acts, fc.array(fc.nat(60)), (played, tellings) => {
        const town = new Simulation();
        played.forEach((one, index) => {
          town.play(one);
          if (tellings.includes(index)) town.tell();
        });
        town.beat();
        town.tell();
        for (const project of PROJECTS) {
          expect(town.seen(project)).toEqual(town.truth(project));
          expect(byId(town.registry.announced(project))).toEqual(town.truth(project));
        }
      }),
    );
  });

  it('is not repeated when nothing changed', () => {
    fc.assert(
      fc.property(acts, (played) => {
        const town = new Simulation();
        for (const one of played) town.play({ ...one, lost: false });
        town.tell();
        town.beat();
        expect(town.registry.takeChanges(town.registry.pending())).toEqual([]);
      }),
    );
  });

  it('reveals no item of a project to another one, and nothing of a project that a tab has not entered', () => {
    const tabs = new Tabs();
    const looking = { project_id: 'south', item_id: '7', idle: false };
    tabs.enter('a', 'north', { userId: 'ana', name: 'Ana', where: looking });
    tabs.move('b', looking);
    expect(tabs.snapshot()).toEqual([
      {
        project_id: 'north',
        snapshot: true,
        online: [{ user_id: 'ana', name: 'Ana', idle: false, viewing: [] }],
        left: [],
      },
    ]);
  });

  it('retains nothing of a thousand tabs that came and went', () => {
    const [tabs, registry] = [new Tabs(), new PresenceRegistry()];
    for (let n = 0; n < 1000; n += 1) {
      tabs.enter(`tab ${n}`, 'north', { userId: `user ${n % 50}`, name: 'x', where: NO_LOCATION });
      for (const change of tabs.changes(tabs.pending())) registry.take('own', change);
      registry.takeChanges(registry.pending());
      tabs.leave(`tab ${n}`, 'north');
      for (const change of tabs.changes(tabs.pending())) registry.take('own', change);
    }
    expect(registry.takeChanges(registry.pending())[0]?.left.length).toBe(1);
    expect([tabs.snapshot(), registry.announced('north'), tabs.usersIn('north')]).toEqual([[], [], []]);
  });
});

function byId(people: UserPresence[]): UserPresence[] {
  return people.sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
}
