// Finds an installed program on this machine.
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program in PATH, else the newest one in `places` (patterns of folders); undefined where there is none. */
export function findBinary(name: string, places: readonly string[] = []): string | undefined {
  const inPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const elsewhere = places
    .flatMap((place) => globSync(place))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return [...inPath, ...elsewhere].map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether this user may run the file; false where there is none. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
