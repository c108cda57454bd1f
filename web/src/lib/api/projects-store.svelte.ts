// The user's projects with their summaries: one list for the rail, the projects page and every project switcher.
import type { Project } from '@countersign/shared/schemas/projects';
import { allProjects } from './list-all-projects.ts';
import { clock } from '../time/clock.svelte.ts';
import { live } from '../live/connection.svelte.ts';
import { retryDelay } from '../live/retry-timer.ts';

/** At most one refresh in this many ms, however many events arrive. */
const SPACING_MS = 1500;
const FIRST_MS = 100;

class ProjectsStore {
  /** Null until the first answer. */
  list: Project[] | null = $state.raw(null);
  /** Why the last load failed; an older list stays visible. */
  error: unknown = $state.raw(null);
  loading = $state(false);
  /** When the present list was answered, in server time (ms); null before the first answer. */
  loadedAt: number | null = $state(null);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastLoadMs = -Infinity;
  #stale = false;
  #followed = false;

  /** Loads the list. Never throws: the cause is in `error`. */
  async load(): Promise<void> {
    if (this.loading) {
      this.#stale = true;
      return;
    }
    this.loading = true;
    try {
      this.list = await allProjects();
      this.loadedAt = clock.read();
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    this.loading = false;
    this.#lastLoadMs = performance.now();
    const delay = this.#followed ? retryDelay(this.error) : null;
    if (delay !== null) this.#refreshSoon(delay);
    else if (this.#stale) this.#refreshSoon();
  }

  /** Replaces one project with the version another call returned. */
  put(project: Project): void {
    const others = this.list ?? [];
    const known = others.some(({ id }) => id === project.id);
    this.list = known ? others.map((other) => (other.id === project.id ? project : other)) : [...others, project];
  }

  /** Loads now and updates with the live events; returns the function that stops it. */
  follow(): () => void {
    this.#followed = true;
    void this.load();
    const onVisible = () => document.visibilityState === 'visible' && this.#stale && this.#refreshSoon();
    document.addEventListener('visibilitychange', onVisible);
    const stops = [
      live.on('*', () => this.#refreshSoon()),
      live.onResync(() => this.#refreshSoon()),
      () => document.removeEventListener('visibilitychange', onVisible),
      () => clearTimeout(this.#timer),
    ];
    return () => {
      for (const stop of stops) stop();
      this.#timer = undefined;
      this.#followed = false;
    };
  }

  /** Clears the list: it belongs to the user who was signed in. */
  forget(): void {
    this.list = null;
    this.error = null;
  }

  #refreshSoon(atLeast = FIRST_MS): void {
    // A hidden page requests nothing; it refreshes once when it becomes visible again.
    this.#stale = document.visibilityState === 'hidden';
    if (this.#stale || this.#timer !== undefined) return;
    const wait = Math.max(atLeast, this.#lastLoadMs + SPACING_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, wait);
  }
}

export const projects = new ProjectsStore();
