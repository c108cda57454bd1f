// Secrets on their one appearance, in memory alone: they stay until they are put away, whatever tab is looked at meanwhile.
import type { Tab } from '../tabs.ts';

export class SecretsShown {
  key: string | null = $state(null);
  source: { url: string; secret: string } | null = $state.raw(null);
  webhook: { secret: string; phase: 'current' | 'next' } | null = $state.raw(null);

  /** Whether one of them stands on this tab. */
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
