// Whose first steps were put away, kept in this browser.
import { browserStorage } from '#lib/drafts.ts';

const NAME = 'countersign.first-steps.away';
/** Older ones are forgotten. */
const KEPT = 50;

let away: readonly string[] = $state.raw(read());

export const isPutAway = (projectId: string): boolean => away.includes(projectId);

export function putAway(projectId: string): void {
  away = [projectId, ...away.filter((id) => id !== projectId)].slice(0, KEPT);
  try {
    browserStorage()?.setItem(NAME, away.join(' '));
  } catch {
    // Storage can be full or forbidden: then it lasts until the page is left.
  }
}

function read(): string[] {
  try {
    return (browserStorage()?.getItem(NAME) ?? '').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}
