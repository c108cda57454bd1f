// The browser's storage for tests of stored data.

/** A storage that outlives the page, and can be set to be full. */
export class FakeStorage {
  readonly values = new Map<string, string>();
  full = false;
  getItem = (key: string): string | null => this.values.get(key) ?? null;
  removeItem = (key: string): void => void this.values.delete(key);
  key = (at: number): string | null => [...this.values.keys()][at] ?? null;
  setItem = (key: string, value: string): void => {
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    this.values.set(key, value);
  };
  get length(): number {
    return this.values.size;
  }
}
