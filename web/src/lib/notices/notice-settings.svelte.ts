// Whether a person wants browser notices, and their quiet hours: stored in this browser, and synced across tabs (NO7).
import { json, persisted } from '../storage/persisted.ts';
import { TIME_OF_DAY, type QuietHours } from './quiet-hours.ts';

interface Stored {
  readonly on: boolean;
  readonly quiet: boolean;
  readonly hours: QuietHours;
}

const DEFAULT_HOURS: QuietHours = { from: '20:00', to: '08:00' };

const codec = json((stored): Stored => {
  const record = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { on, quiet, hours } = record(stored);
  const { from, to } = record(hours);
  const time = (value: unknown, otherwise: string) =>
    typeof value === 'string' && TIME_OF_DAY.test(value) ? value : otherwise;
  return {
    on: on === true,
    quiet: quiet === true,
    hours: { from: time(from, DEFAULT_HOURS.from), to: time(to, DEFAULT_HOURS.to) },
  };
});

const storedOf = (user: string) => persisted(`countersign.notices.${user}`, codec);

class NoticeSettings {
  #stored = storedOf('');
  #present: Stored = $state.raw(codec.parse(null));
  /** Whether the last change will survive a reload. */
  lasting = $state(true);

  /** Off until the user has switched it on. */
  get on(): boolean {
    return this.#present.on;
  }

  set on(on: boolean) {
    this.#save({ ...this.#present, on });
  }

  /** Whether quiet hours are kept. */
  get quiet(): boolean {
    return this.#present.quiet;
  }

  set quiet(quiet: boolean) {
    this.#save({ ...this.#present, quiet });
  }

  /** The times that were last chosen, in use or not. */
  get hours(): QuietHours {
    return this.#present.hours;
  }

  set hours(hours: QuietHours) {
    this.#save({ ...this.#present, hours });
  }

  /** The quiet hours; null when there are none. */
  get quietHours(): QuietHours | null {
    return this.quiet ? this.hours : null;
  }

  /** Loads the settings of a person. Returns the function that stops following other tabs. */
  follow(user: string): () => void {
    this.#stored = storedOf(user);
    this.#present = this.#stored.read();
    return this.#stored.follow((stored) => (this.#present = stored));
  }

  #save(present: Stored): void {
    this.#present = present;
    this.lasting = this.#stored.write(present);
  }
}

export const noticeSettings = new NoticeSettings();
