// Your projects with what is going on in them now: one list for the rail, the projects page and every project switcher.
import type { Project } from '@countersign/shared/api/projects';
import { allProjects } from './list-all-projects.ts';
import { clock } from '../time/clock.svelte.ts';
import { live } from '../live/connection.svelte.ts';

/** At most one refresh in this many ms, however many facts arrive. */
const SPACING_MS = 1500;
const FIRST_MS = 100;

class ProjectsStore {
  /** null until the first answer. */
  list: Project[] | null = $state.raw(null);
  /** Why the last load failed; an older list stays on show. */
  error: unknown = $state.raw(null);
  loading = $state(false);
  /** When the list on show was answered, in server time (ms); null before the first answer. */
  loadedAt: number | null = $state(null);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastLoadMs = 0;
  #stale = false;

  /** Items waiting for a person over all projects; null before the first answer. */
  get waiting(): number | null {
    return this.list?.reduce((sum, project) => sum + project.summary.waiting, 0) ?? null;
  }

  /** Fetches the list. Never throws: the reason stands in `error`. */
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
    this.#lastLoadMs = Date.now();
    if (this.#stale) this.#refreshSoon();
  }

  /** Puts a project that another call answered in its place. */
  put(project: Project): void {
    const others = this.list ?? [];
    const known = others.some(({ id }) => id === project.id);
    this.list = known ? others.map((other) => (other.id === project.id ? project : other)) : [...others, project];
  }

  /** Loads now and stays true by the live facts; answers the function that stops it. */
  follow(): () => void {
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
    };
  }

  /** Forgets the list: it belongs to whoever was signed in. */
  forget(): void {
    this.list = null;
    this.error = null;
  }

  #refreshSoon(): void {
    // A hidden page does not ask; it asks once when it is seen again.
    this.#stale = document.visibilityState === 'hidden';
    if (this.#stale || this.#timer !== undefined) return;
    const wait = Math.max(FIRST_MS, this.#lastLoadMs + SPACING_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.load();
    }, wait);
  }
}

export const projects = new ProjectsStore();
