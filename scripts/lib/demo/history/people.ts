// The six people of the demo's history: their pace, their hours, and what they notice.

export interface DemoPerson {
  readonly name: string;
  readonly role: 'supervisor' | 'reviewer';
  /** The projects that they review. */
  readonly reviews: readonly DemoArea[];
  /** How long they look at an item, in seconds. */
  readonly pace: number;
  /** The share of wrong suggestions that they notice. */
  readonly notices: number;
  /** The share of right suggestions that they change all the same. */
  readonly fussy: number;
  /** The share of wrong suggestions that they reject instead of correcting them. */
  readonly rejects: number;
  /** The first and the last hour in which they work, UTC. */
  readonly hours: readonly [number, number];
  /** Whether they look in on Saturdays and Sundays. */
  readonly weekends: boolean;
  /** Days before the end of the history on which they were away, first and last. */
  readonly away?: readonly [number, number];
}

/** What a project of the history is about. */
export type DemoArea = 'answers' | 'refunds' | 'posts';

export const PEOPLE: readonly DemoPerson[] = [
  {
    ...{ name: 'Anouk (team lead)', role: 'supervisor', reviews: ['answers', 'refunds', 'posts'] },
    ...{ pace: 41, notices: 0.97, fussy: 0.02, rejects: 0.15, hours: [8, 16], weekends: false },
  },
  {
    ...{ name: 'Teo', role: 'reviewer', reviews: ['answers', 'posts'] },
    ...{ pace: 16, notices: 0.71, fussy: 0.01, rejects: 0.1, hours: [7, 16], weekends: false },
  },
  {
    ...{ name: 'Mara', role: 'reviewer', reviews: ['answers', 'refunds'] },
    ...{ pace: 58, notices: 0.96, fussy: 0.11, rejects: 0.12, hours: [8, 17], weekends: true },
  },
  {
    ...{ name: 'Idris', role: 'reviewer', reviews: ['refunds', 'answers'] },
    ...{ pace: 33, notices: 0.9, fussy: 0.03, rejects: 0.45, hours: [9, 18], weekends: false },
  },
  {
    ...{ name: 'Linnea', role: 'reviewer', reviews: ['posts', 'answers'] },
    ...{ pace: 24, notices: 0.88, fussy: 0.03, rejects: 0.2, hours: [7, 15], weekends: true, away: [6, 3] },
  },
  {
    ...{ name: 'Kofi', role: 'reviewer', reviews: ['answers', 'posts', 'refunds'] },
    ...{ pace: 29, notices: 0.85, fussy: 0.02, rejects: 0.2, hours: [12, 20], weekends: false },
  },
];

/** Whether this person works at that time. `daysAgo`: whole days before the end of the history. */
export function isAtWork({ hours: [from, to], weekends, away }: DemoPerson, at: Date, daysAgo: number): boolean {
  if (away !== undefined && daysAgo <= away[0] && daysAgo >= away[1]) return false;
  const isWeekend = [0, 6].includes(at.getUTCDay());
  const hour = at.getUTCHours();
  return isWeekend ? weekends && hour >= 10 && hour < 13 : hour >= from && hour < to;
}
