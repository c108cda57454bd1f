// Counts whom items would be reserved for, as if these rules and entries had routed them (SK5).
import { route, type RoutingSettings } from '../items/routing.ts';
import { reservationOf, type SkillRoute } from './reservation.ts';
import type { Matchable } from '@countersign/shared/skills';

/** An item as it arrived. */
export interface Arrival extends Matchable {
  readonly confidence: number;
  readonly needsPerson: boolean;
  readonly arrivedAt: Date;
  /** Null: without a deadline. */
  readonly deadline: Date | null;
}

/** `early`: how many of its items others may have before its time, because of their deadlines (SK3). */
interface EntryForecast {
  reserved: number;
  early: number;
}

export interface SkillForecast {
  /** How many items would be queued. */
  queued: number;
  /** One per entry, in their order. */
  entries: EntryForecast[];
}

/** Counts items one at a time: their metadata may be large. */
export function createForecast(routes: readonly SkillRoute[], rules: RoutingSettings) {
  const forecast: SkillForecast = { queued: 0, entries: routes.map(() => ({ reserved: 0, early: 0 })) };
  return {
    forecast,
    add: (item: Arrival): void => {
      const { confidence, riskFlags, needsPerson, arrivedAt, deadline } = item;
      if (route({ confidence, risk_flags: riskFlags, needs_person: needsPerson }, rules).status !== 'queued') return;
      forecast.queued += 1;
      const reservation = reservationOf(item, routes, { now: arrivedAt, deadline });
      const at = routes.findIndex(({ skill }) => skill === reservation?.skill);
      const [entry, minutes] = [forecast.entries[at], routes[at]?.after_minutes];
      if (reservation === null || entry === undefined || minutes === undefined) return;
      entry.reserved += 1;
      if (reservation.until.getTime() - arrivedAt.getTime() < minutes * 60_000) entry.early += 1;
    },
  };
}
