// Locates the data of a DATA_DIR: inside it, or in a fallback folder, which a file in DATA_DIR names.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent, isEmpty } from './data-folder.ts';
import { EmbeddedError } from './embedded-error.ts';
import { isAt, type Place, placeOf } from './place.ts';

/** In DATA_DIR. */
const NAME = 'postgres';
/** In DATA_DIR when its data is elsewhere. Earlier versions wrote none. */
const LOCATION_FILE = 'postgres.location';

interface Location {
  data: string;
  /** The DATA_DIR: a copy of it has no data of its own. */
  place: Place;
}

/**
 * Where the data of `folder` (DATA_DIR) is or will be: inside it, or in `fallback` if PostgreSQL's user cannot reach
 * it. Errors: `EmbeddedError` when it was elsewhere and is not there, when there is data in both places, or when
 * `folder` is a copy.
 */
export function locateData(folder: string, fallback: string): string {
  const inside = join(folder, NAME);
  const location = readLocation(folder);
  const isOwn = location !== undefined && isAt(folder, location.place);
  if (!isEmpty(inside)) {
    if (isOwn && !isEmpty(location.data)) throw new EmbeddedError(ofTwo(folder, location.data));
    return inside;
  }
  if (location === undefined) return otherData(folder, fallback) ?? inside;
  if (!isOwn) throw new EmbeddedError(ofCopy(folder, location));
  if (isEmpty(location.data)) throw new EmbeddedError(ofMissing(folder, location.data));
  return location.data;
}

/**
 * What is in the fallback folder of this DATA_DIR, if anything. A folder that this user cannot see may well not exist,
 * and is none.
 */
export function otherData(folder: string, fallback: string): string | undefined {
  const data = fallbackDataFolder(folder, fallback);
  return existsSync(data) && !isEmpty(data) ? data : undefined;
}

/** The folder that replaces DATA_DIR if only root can enter that. The same for the same path of DATA_DIR. */
export const fallbackDataFolder = (folder: string, fallback: string): string =>
  join(fallback, fallbackName(folder), NAME);

/** The name of the folder in `fallback` that contains `fallbackDataFolder`. */
export const fallbackName = (folder: string): string =>
  createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);

/** Stores in DATA_DIR where its database is, unless it is inside: another user or path of DATA_DIR does not tell. */
export function storeLocation(folder: string, data: string): void {
  if (data === join(folder, NAME)) return;
  const path = join(folder, LOCATION_FILE);
  const content = `${JSON.stringify({ data, place: placeOf(folder) } satisfies Location)}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  writeFileSync(`${path}.new`, content, { flush: true });
  renameSync(`${path}.new`, path);
}

function readLocation(folder: string): Location | undefined {
  const path = join(folder, LOCATION_FILE);
  if (isAbsent(path)) return undefined;
  try {
    const { data, place } = JSON.parse(readFileSync(path, 'utf8')) as Location;
    return { data: join(data), place: { path: join(place.path), inode: place.inode } };
  } catch (error) {
    throw new EmbeddedError(
      `The file ${path}, which names the folder of the database, cannot be read (${String(error)}): let this user read it, or restore it from a backup. Nothing was changed.`,
    );
  }
}

const ofTwo = (folder: string, data: string): string =>
  `There are two databases of ${folder} (DATA_DIR), in ${join(folder, NAME)} and in ${data}: move the one away that is not to be used. Nothing was changed.`;

const ofCopy = (folder: string, { data, place }: Location): string =>
  `The folder ${folder} (DATA_DIR) is a copy of ${place.path}, whose database is in ${data}: copy that to ${join(folder, NAME)}, and remove ${join(folder, LOCATION_FILE)}. Nothing was changed.`;

const ofMissing = (folder: string, data: string): string =>
  `The database of ${folder} (DATA_DIR) was in ${data} and is not there: restore it, or, to start with an empty database, remove ${join(folder, LOCATION_FILE)}. Nothing was changed.`;
