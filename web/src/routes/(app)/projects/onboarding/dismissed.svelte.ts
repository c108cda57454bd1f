// Stores in this browser whose onboarding, and whose list of what is left before production, was dismissed.
import { persisted, type Codec } from '#lib/storage/persisted.ts';

/** Older ones are deleted. */
const MAX_REMEMBERED = 50;

const ids: Codec<readonly string[]> = {
  parse: (text) => (text ?? '').split(' ').filter(Boolean),
  format: (value) => value.join(' '),
};

/** The projects whose list under this name was dismissed. */
class Dismissed {
  readonly #stored;
  #ids: readonly string[] = $state.raw([]);

  constructor(name: string) {
    this.#stored = persisted(name, ids);
    this.#ids = this.#stored.read();
  }

  has(projectId: string): boolean {
    return this.#ids.includes(projectId);
  }

  add(projectId: string): void {
    this.#ids = [projectId, ...this.#ids.filter((id) => id !== projectId)].slice(0, MAX_REMEMBERED);
    this.#stored.write(this.#ids);
  }
}

const onboarding = new Dismissed('countersign.first-steps.away');

export const isDismissed = (projectId: string): boolean => onboarding.has(projectId);

export const dismiss = (projectId: string): void => onboarding.add(projectId);

/** The lists of what is left before production. */
export const dismissedReadiness = new Dismissed('countersign.readiness.away');
