// How many dear requests go on at the same time (RL6): so many of a person, so many of the process, and the rest in line.
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { AT_ONCE, type AtOnce } from '../limits/policies.ts';
import type { Client, Owner, Place, Room } from '../limits/room.ts';
import { isList } from './in-flight.ts';
import { dearnessOf } from './rate-limit.ts';

/** Gives a place back; a second time does nothing. */
export type Leave = () => void;

export interface Places {
  /**
   * A place of this person's, at once or when it is their turn. Errors: `rate_limited` where all of theirs are taken and so many
   * of theirs stand in line, `unavailable` where the process has none left, or the client is gone before its turn.
   */
  enter(person: string, client: Client & Gone): Promise<Leave>;
}

/** Whether the other end has gone already. */
interface Gone {
  readonly closed: boolean;
}

/** When a refused one may come back, in seconds. */
const COME_BACK = 2;

interface InLine {
  person: string;
  go: (leave: Leave) => void;
  refuse: (refusal: Refusal) => void;
}

/**
 * In line whoever has fewest places goes first, then who came first; where the line is full, the last of the largest crowd is
 * refused for one of a smaller: nobody stands behind somebody else's crowd.
 */
export function createPlaces(limit: AtOnce): Places {
  const taken = new Map<string, number>();
  const line: InLine[] = [];
  let all = 0;

  const of = (person: string) => taken.get(person) ?? 0;
  const free = (person: string) => all < limit.perProcess && of(person) < limit.perPerson;
  function take(person: string): Leave {
    all += 1;
    taken.set(person, of(person) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      all -= 1;
      if (of(person) > 1) taken.set(person, of(person) - 1);
      else taken.delete(person);
      callNext();
    };
  }
  function callNext(): void {
    const able = line.filter(({ person }) => free(person));
    const next = able.sort((one, other) => of(one.person) - of(other.person))[0];
    if (next === undefined) return;
    line.splice(line.indexOf(next), 1);
    next.go(take(next.person));
  }
  return {
    enter(person, client) {
      if (client.closed) return Promise.reject(full());
      if (free(person)) return Promise.resolve(take(person));
      const own = line.filter((one) => one.person === person).length;
      if (of(person) >= limit.perPerson && own >= limit.waitingPerPerson) return Promise.reject(tooMany());
      if (line.length >= limit.waiting && !thinOut(line, own)) return Promise.reject(full());
      return standIn(line, person, client);
    },
  };
}

/** Stands in line until called, refused or gone. */
function standIn(line: InLine[], person: string, client: Client): Promise<Leave> {
  const { promise, resolve, reject } = Promise.withResolvers<Leave>();
  const one: InLine = { person, go: resolve, refuse: reject };
  const go = () => {
    if (line.includes(one)) line.splice(line.indexOf(one), 1);
    reject(full());
  };
  line.push(one);
  client.once('close', go);
  return promise.finally(() => client.off('close', go));
}

/** Refuses one of the largest crowd; false where nobody has more in line than so many and one. */
function thinOut(line: InLine[], own: number): boolean {
  const crowds = [...Map.groupBy(line, ({ person }) => person).values()];
  const [crowd = []] = crowds.sort((one, other) => other.length - one.length);
  const last = crowd.at(-1);
  if (last === undefined || crowd.length <= own + 1) return false;
  line.splice(line.indexOf(last), 1);
  last.refuse(full());
  return true;
}

const tooMany = () =>
  new Refusal('rate_limited', 'As many of these are under way for you as can be. Let one finish, then ask again.', {
    retryAfter: COME_BACK,
  });
const full = () =>
  new Refusal('unavailable', 'Many ask for this just now. Try again in a moment.', { retryAfter: COME_BACK });

/** By endpoint: where its requests stand in line, if they are dear; the same line for all of a kind in this process. */
export function createLines() {
  const lines = {
    heavy: createPlaces(AT_ONCE.heavy),
    list: createPlaces(AT_ONCE.list),
    export: createPlaces(AT_ONCE.export),
  };
  return (endpoint: Asked): Places | null => {
    const kind = dearnessOf(endpoint) ?? (isList(endpoint) ? 'list' : null);
    return kind === null ? null : lines[kind];
  };
}
type Asked = Pick<Endpoint, 'method' | 'path' | 'auth' | 'query'>;

/** What a request has while it is worked on. */
export interface Admitted {
  /** Room for its answer. */
  place: Place;
  leaveLine: Leave;
}

/**
 * Lets a request in: first its turn, then room for its answer, so that who stands in line holds no room. Where there is none, it
 * waits for that first and then for its turn once more, with room of its own owner's share. Errors: as `Places.enter` and `Room.enter`.
 */
export async function admit(
  { unsent }: { unsent: Room },
  line: Places | null,
  { owner, expected, client }: { owner: Owner; expected: number; client: Client & Gone },
): Promise<Admitted> {
  if (line === null) return { place: await unsent.enter(owner, expected, client), leaveLine: () => undefined };
  const leaveLine = await line.enter(owner.name, client);
  const now = unsent.enterNow(owner, expected);
  if (now !== null) return { place: now, leaveLine };
  leaveLine();
  const place = await unsent.enter(owner, expected, client);
  try {
    return { place, leaveLine: await line.enter(owner.name, client) };
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** Keeps the place of a download in its line until the last of it is sent, or nobody takes it any more. */
export function leaveWhenTaken({ leaveLine }: Admitted, response: Client & Gone): void {
  if (response.closed) leaveLine();
  else response.once('close', leaveLine);
}
