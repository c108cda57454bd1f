// Stores in this browser whose onboarding was dismissed.
import { browserStorage } from '#lib/drafts/drafts.ts';

const NAME = 'countersign.first-steps.away';
/** Older ones are deleted. */
const MAX_REMEMBERED = 50;

let dismissed: readonly string[] = $state.raw(read());

export const isDismissed = (projectId: string): boolean => dismissed.includes(projectId);

export function dismiss(projectId: string): void {
  dismissed = [projectId, ...dismissed.filter((id) => id !== projectId)].slice(0, MAX_REMEMBERED);
  try {
    browserStorage()?.setItem(NAME, dismissed.join(' '));
  } catch {
    // Storage may be full or forbidden: then it lasts until the page is left.
  }
}

function read(): string[] {
  try {
    return (browserStorage()?.getItem(NAME) ?? '').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}
