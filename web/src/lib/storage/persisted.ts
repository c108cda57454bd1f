// Values that the browser stores under a name: read with a guard, written without errors, followed across tabs.

/** How a value is written as text. `parse` gets null when nothing is stored; what it throws counts as nothing stored. */
export interface Codec<T> {
  parse(text: string | null): T;
  format(value: T): string;
}

export interface Persisted<T> {
  /** The stored value, or that of an empty storage where nothing usable is stored or the browser forbids it. */
  read(): T;
  /** Stores a value. Returns whether it will survive a reload: storage may be full or forbidden. */
  write(value: T): boolean;
  remove(): void;
  /** Calls the listener when another tab changes the value, or clears the storage. Returns the function that stops it. */
  follow(listener: (value: T) => void): () => void;
}

export type StorageArea = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** A value stored under this name, for all tabs of the browser unless another area is given. */
export function persisted<T>(
  name: string,
  codec: Codec<T>,
  area: () => StorageArea | null = browserStorage,
): Persisted<T> {
  const read = () => {
    try {
      return codec.parse(area()?.getItem(name) ?? null);
    } catch {
      return codec.parse(null);
    }
  };
  return {
    read,
    write: (value) => {
      try {
        const store = area();
        store?.setItem(name, codec.format(value));
        return store !== null;
      } catch {
        return false;
      }
    },
    remove: () => {
      try {
        area()?.removeItem(name);
      } catch {
        // Nothing was stored either.
      }
    },
    follow: (listener) => {
      const onStorage = ({ key }: StorageEvent) => {
        if (key === null || key === name) listener(read());
      };
      window.addEventListener('storage', onStorage);
      return () => window.removeEventListener('storage', onStorage);
    },
  };
}

/** JSON. `valueOf` checks what was stored; it gets null for nothing, and for text that is not JSON. */
export const json = <T>(valueOf: (stored: unknown) => T): Codec<T> => ({
  parse: (text) => valueOf(JSON.parse(text ?? 'null')),
  format: (value) => JSON.stringify(value),
});

/** One of these texts; the first one where none of them is stored. */
export const oneOf = <T extends string>(choices: readonly [T, ...T[]]): Codec<T> => ({
  parse: (text) => choices.find((choice) => choice === text) ?? choices[0],
  format: (value) => value,
});

/** `on` or `off`. */
export const flag = ({ otherwise }: { otherwise: boolean }): Codec<boolean> => ({
  parse: (text) => (text === 'on' || text === 'off' ? text === 'on' : otherwise),
  format: (value) => (value ? 'on' : 'off'),
});

/** The storage of all tabs, or null where it is forbidden. */
export function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** The storage of this tab, or null where it is forbidden. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
