// A manual presence setup: two processes with a connection that can be cut, and tabs that record what they receive.
import { afterAll, beforeAll } from 'vitest';
import { changeMember } from '@countersign/shared/routes/projects';
import { applyPresenceChange, type PresenceByUser } from '@countersign/shared/presence';
import type { UserPresence, PresenceChange } from '@countersign/shared/sockets';
import { join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import type { PresenceChannel, Message } from '../../../src/realtime/presence/presence-sync.ts';
import { type Listener, type LiveTestServer, waitUntilRead, startLiveServer } from '../support/live-server.ts';
import { serve, type Served } from '../support/http-server.ts';
import { type ServicesEnvironment, useServices } from '../support/test-services.ts';

export interface PresenceFixture {
  readonly inside: ServicesEnvironment;
  /** Two processes that receive each other's messages while the connection between them is up. */
  readonly here: LiveTestServer;
  readonly there: LiveTestServer;
  readonly wire: { cut: boolean; messages: Message[] };
  /** The first process hears that many people are online in each of these projects, in another process. */
  crowd(projectIds: string[], people: number): void;
  /** The state of the lock store, as the first process sees it. */
  readonly store: { answers: boolean };
  /** Moves the clock of the heartbeats by milliseconds. */
  pass(ms: number): void;
  newcomer(): Promise<Person>;
  /** A project with these members, under these names. */
  project(...names: string[]): Promise<{ project: OpenProject; people: Person[] }>;
  tab(who: Person | undefined, live?: LiveTestServer): Promise<Listener>;
  /** Both processes publish, there and back, until all has arrived; then these sockets have received it. */
  settle(...listeners: Listener[]): Promise<void>;
}

export const NOWHERE = { project_id: null, item_id: null, idle: false };

/** Opens a fixture for all tests of a file. */
export function usePresenceFixture(): PresenceFixture {
  const inside = useServices();
  const store = { answers: true };
  let elapsed = 0;
  const now = () => elapsed;
  const { wire, left, right, tell } = createLink();
  const open: Listener[] = [];
  let [served, here, there]: [Served?, LiveTestServer?, LiveTestServer?] = [];
  beforeAll(async () => {
    served = await serve(inside.services);
    here = await startLiveServer(inside, { link: left, now, answers: () => Promise.resolve(store.answers) });
    there = await startLiveServer(inside, { link: right, now });
  });
  afterAll(async () => {
    for (const { socket } of open) socket.close();
    await Promise.all([here?.close(), there?.close(), served?.close()]);
  });
  const is = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The fixture exists from beforeAll on.');
    return value;
  };
  const newcomer = () => person(is(served).testEnv);
  return {
    inside,
    store,
    wire,
    crowd: (projectIds, people) => tell(crowdIn(projectIds, people)),
    pass: (ms) => void (elapsed += ms),
    newcomer,
    get here() {
      return is(here);
    },
    get there() {
      return is(there);
    },
    project: (...names) => aProject(newcomer, names),
    tab: async (who, live = is(here)) => {
      const listener = await live.connect({ origin: is(served).testEnv.baseUrl, cookie: is(who).cookieHeader() });
      open.push(listener);
      return listener;
    },
    settle: async (...listeners) => {
      for (const live of [here, there, here, there]) await is(live).present();
      await Promise.all(listeners.map((listener) => listener.caughtUp()));
    },
  };
}

interface Link {
  wire: { cut: boolean; messages: Message[] };
  left: PresenceChannel;
  right: PresenceChannel;
  /** The left process hears this. */
  tell: (message: Message) => void;
}

function createLink(): Link {
  const wire = { cut: false, messages: [] as Message[] };
  const hears: ((message: unknown) => void)[] = [];
  const end = (own: number): PresenceChannel => ({
    publish: (message) => {
      if (wire.cut) return;
      wire.messages.push(message);
      hears[1 - own]?.(JSON.parse(JSON.stringify(message)));
    },
    subscribe: (listener) => void (hears[own] = listener),
  });
  return { wire, left: end(0), right: end(1), tell: (message) => hears[0]?.(message) };
}

const crowdIn = (projectIds: string[], people: number): Message => ({
  process: 'crowded',
  snapshot: true,
  changes: projectIds.map((id) => ({
    project_id: id,
    snapshot: true,
    online: Array.from({ length: people }, (_, n) => ({
      ...{ user_id: `${n}`.padStart(36, '0'), name: `Person ${n}`, idle: false, viewing: [`${n}`.padStart(36, '0')] },
    })),
    left: [],
  })),
});

async function aProject(newcomer: () => Promise<Person>, names: string[]) {
  const project = await openProject(await newcomer());
  const people = await Promise.all(names.map(() => newcomer()));
  for (const [index, who] of people.entries()) {
    await join(project, who);
    await rename(who, project, names[index] ?? '');
  }
  return { project, people };
}

export const rename = (who: Person, project: OpenProject, name: string) =>
  who.call(changeMember, { params: { id: project.id, user_id: who.id }, body: { name } });

/** Reports its presence, and waits until the server has read it. */
export async function publish(listener: Listener, where: unknown): Promise<void> {
  listener.socket.emit('presence', where);
  await waitUntilRead(listener);
}

export const changesOf = ({ received }: Listener) =>
  received.flatMap(({ event, text }) => (event === 'presence' ? (JSON.parse(text) as PresenceChange[]) : []));

/** What a page knows from the messages this socket received, by name. */
export function known(listener: Listener, projectId: string): UserPresence[] {
  const nobody: PresenceByUser = new Map();
  const membersUpdated = changesOf(listener).filter(({ project_id: id }) => id === projectId);
  return [...membersUpdated.reduce<PresenceByUser>(applyPresenceChange, nobody).values()].sort((a, b) =>
    a.name.localeCompare(b.name),
  );
}

export const namesOf = (listener: Listener, projectId: string) => known(listener, projectId).map(({ name }) => name);
