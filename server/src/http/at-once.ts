// How many dear requests go on at the same time (RL6): so many of a person, so many of the process, and the rest in line.
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { AT_ONCE, type AtOnce } from '../limits/policies.ts';
import { Download } from './download.ts';
import { dearnessOf } from './rate-limit.ts';

/** Gives a place back; a second time does nothing. */
export type Leave = () => void;

export interface Places {
  /**
   * A place of this person's, at once or when it is their turn. Errors: `rate_limited` where all of theirs are taken and so many
   * of theirs stand in line, `unavailable` where the process has none left.
   */
  enter(person: string): Promise<Leave>;
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
    enter(person) {
      if (free(person)) return Promise.resolve(take(person));
      const own = line.filter((one) => one.person === person).length;
      if (of(person) >= limit.perPerson && own >= limit.waitingPerPerson) return Promise.reject(tooMany());
      if (line.length >= limit.waiting && !thinOut(line, own)) return Promise.reject(full());
      return new Promise((go, refuse) => void line.push({ person, go, refuse }));
    },
  };
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

interface Asked {
  actor: { userId: string };
  ctx: Context;
}

/**
 * Lets dear requests of one process in by their turn; all others as they come. A download keeps its place until the last of it is
 * sent, or nobody takes it any more. Errors: as `Places.enter`.
 */
export function createTurns() {
  const places = { heavy: createPlaces(AT_ONCE.heavy), export: createPlaces(AT_ONCE.export) };
  return <C extends Asked, R>(endpoint: Pick<Endpoint, 'method' | 'path'>, handler: (call: C) => Promise<R>) => {
    const kind = dearnessOf(endpoint);
    if (kind === undefined) return handler;
    return async (call: C): Promise<R> => {
      const leave = await places[kind].enter(call.actor.userId);
      let stays = false;
      try {
        const answer = await handler(call);
        stays = answer instanceof Download && !call.ctx.res.closed;
        if (stays) call.ctx.res.once('close', leave);
        return answer;
      } finally {
        if (!stays) leave();
      }
    };
  };
}
