// Secrets that are shown once, in memory only: they stay until they are dismissed, on any tab.
import type { Tab } from '../tabs.ts';

export class SecretsShown {
  key: string | null = $state(null);
  source: { url: string; secret: string } | null = $state.raw(null);
  webhook: { secret: string; phase: 'current' | 'next' } | null = $state.raw(null);

  /** Whether this tab shows one of them. */
  on(tab: Tab): boolean {
    if (tab === 'webhook') return this.webhook !== null;
    return tab === 'keys' && (this.key !== null || this.source !== null);
  }

  dismiss(): void {
    this.key = null;
    this.source = null;
    this.webhook = null;
  }
}
