// Decides which browser notices to show: what is due for the user, and what arrived while no tab was visible (NO7).

/** An item that the user holds or could claim now. Times in ms, server clock. */
export interface WaitingItem {
  readonly id: string;
  /** The name of its project. */
  readonly project: string;
  readonly mine: boolean;
  readonly deadline: number | null;
  /** When it was submitted, or last came to those who may decide it. */
  readonly arrivedAt: number;
}

/** What the tabs of one person remember together. */
export interface NoticeMemory {
  /** Deadlines (ms) that a notice has named, by item. */
  readonly told: Readonly<Record<string, number>>;
  /** Since when no tab was visible (ms); null while one is. */
  readonly awaySince: number | null;
  /** When the last notice of arrivals was shown (ms). */
  readonly arrivalsAt: number | null;
}

export const NO_MEMORY: NoticeMemory = { told: {}, awaySince: null, arrivalsAt: null };

export interface NoticeSituation {
  /** Server time in ms. */
  readonly now: number;
  /** Whether one of the user's tabs is visible, and whether one of them has the focus too. */
  readonly visible: boolean;
  readonly focused: boolean;
  /** Now are quiet hours. */
  readonly quiet: boolean;
  readonly items: readonly WaitingItem[];
}

/** Counts and names of projects, never content of items. */
export type Notice =
  | {
      readonly kind: 'due';
      readonly count: number;
      /** Until the last of them is due, rounded up. */
      readonly minutes: number;
      readonly projects: readonly string[];
      /** The item, where there is one. */
      readonly item: string | null;
    }
  | { readonly kind: 'arrivals'; readonly count: number; readonly projects: readonly string[] };

const MINUTE_MS = 60_000;
/** An item is announced this long before its deadline. */
const DUE_WITHIN_MS = 5 * MINUTE_MS;
/** Between two notices of arrivals. */
const ARRIVALS_SPACING_MS = 5 * MINUTE_MS;

/**
 * The notices to show now, at most one of each kind, and what to remember (NO7). A suppressed notice counts as not shown: it
 * follows as soon as it may, if it is still true then.
 */
export function decideNotices(
  memory: NoticeMemory,
  situation: NoticeSituation,
): { memory: NoticeMemory; notices: readonly Notice[] } {
  const { now, visible, focused, quiet } = situation;
  const known = withoutPast(memory, now);
  const present = { ...known, awaySince: visible ? null : (known.awaySince ?? now) };
  if (focused || quiet) return { memory: present, notices: [] };
  const near = nearDeadlines(situation);
  const due = near.some(({ id, deadline }) => present.told[id] !== deadline) ? dueNotice(near, now) : null;
  const arrived = newArrivals(present, situation);
  return {
    memory: {
      ...present,
      told: due === null ? present.told : { ...present.told, ...deadlinesOf(near) },
      arrivalsAt: arrived === null ? present.arrivalsAt : now,
    },
    notices: [...(due === null ? [] : [due]), ...(arrived === null ? [] : [arrived])],
  };
}

interface DueItem extends WaitingItem {
  readonly deadline: number;
}

/** Forgets deadlines that have passed, and moments that a clock which was set back has not reached. */
function withoutPast({ told, awaySince, arrivalsAt }: NoticeMemory, now: number): NoticeMemory {
  const past = (time: number | null) => (time !== null && time > now ? null : time);
  return {
    told: Object.fromEntries(Object.entries(told).filter(([, deadline]) => deadline > now)),
    awaySince: past(awaySince),
    arrivalsAt: past(arrivalsAt),
  };
}

const nearDeadlines = ({ now, items }: NoticeSituation): DueItem[] =>
  items.filter(
    (item): item is DueItem => item.deadline !== null && item.deadline > now && item.deadline - now <= DUE_WITHIN_MS,
  );

const deadlinesOf = (items: readonly DueItem[]): Record<string, number> =>
  Object.fromEntries(items.map(({ id, deadline }) => [id, deadline]));

/** Names every item that is due soon, because it replaces the notice before it. */
const dueNotice = (near: readonly DueItem[], now: number): Notice => ({
  kind: 'due',
  count: near.length,
  minutes: Math.ceil((Math.max(...near.map(({ deadline }) => deadline)) - now) / MINUTE_MS),
  projects: projectsOf(near),
  item: near.length === 1 ? (near[0]?.id ?? null) : null,
});

/** All arrivals since the user left, when one of them is newer than the last notice and that is long enough ago. */
function newArrivals({ awaySince, arrivalsAt }: NoticeMemory, { now, items }: NoticeSituation): Notice | null {
  if (awaySince === null || (arrivalsAt !== null && now - arrivalsAt < ARRIVALS_SPACING_MS)) return null;
  const arrived = items.filter(({ mine, arrivedAt }) => !mine && arrivedAt > awaySince);
  if (!arrived.some(({ arrivedAt }) => arrivedAt > (arrivalsAt ?? awaySince))) return null;
  return { kind: 'arrivals', count: arrived.length, projects: projectsOf(arrived) };
}

const projectsOf = (items: readonly WaitingItem[]): string[] => [...new Set(items.map(({ project }) => project))];
