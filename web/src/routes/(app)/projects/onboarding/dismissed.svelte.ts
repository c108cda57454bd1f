// Stores in this browser for which projects onboarding was dismissed.
import { persisted, type Codec } from '#lib/storage/persisted.ts';

/** Older ones are deleted. */
const MAX_REMEMBERED = 50;

const ids: Codec<readonly string[]> = {
  parse: (text) => (text ?? '').split(' ').filter(Boolean),
  format: (value) => value.join(' '),
};

const stored = persisted('countersign.first-steps.away', ids);
let dismissed: readonly string[] = $state.raw(stored.read());

export const isDismissed = (projectId: string): boolean => dismissed.includes(projectId);

export function dismiss(projectId: string): void {
  dismissed = [projectId, ...dismissed.filter((id) => id !== projectId)].slice(0, MAX_REMEMBERED);
  stored.write(dismissed);
}
