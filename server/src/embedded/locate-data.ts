// Locates the data of a DATA_DIR: inside it, or in a fallback folder, which a file in DATA_DIR names.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAbsent, isEmpty } from './data-folder.ts';
import { EmbeddedError } from './embedded-error.ts';
import { makeOpenFolder } from './open-folder.ts';
import { isAt, type Place, placeOf } from './place.ts';

/** In DATA_DIR. */
const NAME = 'postgres';
/** In DATA_DIR when its data is elsewhere. Earlier versions wrote none. */
const LOCATION_FILE = 'postgres.location';
/** Beside data that is not in DATA_DIR: the place of its DATA_DIR. Earlier versions wrote none. */
const OWNER_FILE = 'postgres.owner';

interface Location {
  data: string;
  /** The DATA_DIR: a copy of it has no data of its own. */
  place: Place;
}

/**
 * Where the data of `folder` (DATA_DIR) is or will be: inside it, or in `fallback` if PostgreSQL's user cannot reach
 * it. Errors: `EmbeddedError` when it was elsewhere and is not there, when there is data in both places, when `folder` is
 * a copy, or when the data is that of another DATA_DIR.
 */
export function locateData(folder: string, fallback: string): string {
  const inside = join(folder, NAME);
  const location = readLocation(folder);
  const isOwn = location !== undefined && isAt(folder, location.place);
  if (!isEmpty(inside)) {
    if (isOwn && !isEmpty(location.data)) throw new EmbeddedError(ofTwo(folder, location.data));
    return inside;
  }
  if (location === undefined) return unownedData(folder, fallback) ?? inside;
  if (!isOwn) throw new EmbeddedError(ofCopy(folder, location));
  if (isEmpty(location.data)) throw new EmbeddedError(ofMissing(folder, location.data));
  const owner = readOwner(location.data);
  if (owner !== undefined && !isAt(folder, owner)) throw new EmbeddedError(ofAnother(folder, location.data, owner));
  return location.data;
}

/**
 * As `otherData`, if it says of no DATA_DIR that it is its own. A folder at the path of an earlier one, such as one that was
 * renamed or removed, begins with an empty database.
 */
function unownedData(folder: string, fallback: string): string | undefined {
  const data = otherData(folder, fallback);
  return data !== undefined && readOwner(data) === undefined ? data : undefined;
}

/**
 * What is in the fallback folder of this DATA_DIR, if anything, unless it is that of another DATA_DIR. A folder that
 * this user cannot see counts as absent.
 */
export function otherData(folder: string, fallback: string): string | undefined {
  const data = fallbackDataFolder(folder, fallback);
  return existsSync(data) && !isEmpty(data) && mayOwn(folder, data) ? data : undefined;
}

/** The folder that replaces DATA_DIR if only root can enter that. The same for the same path of DATA_DIR. */
export const fallbackDataFolder = (folder: string, fallback: string): string =>
  join(fallback, fallbackName(folder), NAME);

/**
 * Creates the folder in `fallback` for new data of this DATA_DIR. @returns the path of that data. Where another DATA_DIR
 * had the path before, the folder has another name, which the file in DATA_DIR then tells.
 */
export function makeFallbackFolder(folder: string, fallback: string): string {
  const data = fallbackDataFolder(folder, fallback);
  if (isEmpty(data) && mayOwn(folder, data)) return join(makeOpenFolder(fallback, fallbackName(folder)), NAME);
  const other = mkdtempSync(join(makeOpenFolder(fallback), `${fallbackName(folder)}-`));
  chmodSync(other, 0o755);
  return join(other, NAME);
}

/** The name of the folder in `fallback` that contains `fallbackDataFolder`. */
const fallbackName = (folder: string): string =>
  createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);

/**
 * Stores in DATA_DIR where its database is, unless it is inside: another user or path of DATA_DIR does not tell. Beside
 * the database, stores whose it is.
 */
export function storeLocation(folder: string, data: string): void {
  if (data === join(folder, NAME)) return;
  const place = placeOf(folder);
  // Data with an owner is found by this file alone.
  store(join(folder, LOCATION_FILE), { data, place });
  store(ownerFileOf(data), place);
}

function store(path: string, value: Place | Location): void {
  const content = `${JSON.stringify(value)}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  writeFileSync(`${path}.new`, content, { flush: true });
  renameSync(`${path}.new`, path);
}

function readLocation(folder: string): Location | undefined {
  const path = join(folder, LOCATION_FILE);
  if (isAbsent(path)) return undefined;
  try {
    const { data, place } = JSON.parse(readFileSync(path, 'utf8')) as Location;
    return { data: join(data), place: asPlace(place) };
  } catch (error) {
    throw new EmbeddedError(
      `The file ${path}, which names the folder of the database, cannot be read (${String(error)}): let this user read it, or restore it from a backup. Nothing was changed.`,
    );
  }
}

const ownerFileOf = (data: string): string => join(dirname(data), OWNER_FILE);

function mayOwn(folder: string, data: string): boolean {
  const owner = readOwner(data);
  return owner === undefined || isAt(folder, owner);
}

/** The DATA_DIR of this data; undefined where nobody said. */
function readOwner(data: string): Place | undefined {
  const path = ownerFileOf(data);
  if (!existsSync(path)) return undefined;
  try {
    return asPlace(JSON.parse(readFileSync(path, 'utf8')) as Place);
  } catch (error) {
    throw new EmbeddedError(
      `The file ${path}, which names the DATA_DIR of the database beside it, cannot be read (${String(error)}): let this user read it, or, if no other DATA_DIR uses that database, remove it. Nothing was changed.`,
    );
  }
}

/** Throws when the value is not a place. */
const asPlace = ({ path, inode }: Place): Place => ({ path: join(path), inode });

const ofTwo = (folder: string, data: string): string =>
  `There are two databases of ${folder} (DATA_DIR), in ${join(folder, NAME)} and in ${data}: move the one away that is not to be used. Nothing was changed.`;

const ofCopy = (folder: string, { data, place }: Location): string =>
  `The folder ${folder} (DATA_DIR) is a copy of ${place.path}, whose database is in ${data}: copy that to ${join(folder, NAME)}, and remove ${join(folder, LOCATION_FILE)}. Nothing was changed.`;

const ofMissing = (folder: string, data: string): string =>
  `The database of ${folder} (DATA_DIR) was in ${data} and is not there: restore it, or, to start with an empty database, remove ${join(folder, LOCATION_FILE)}. Nothing was changed.`;

function ofAnother(folder: string, data: string, { path }: Place): string {
  return `The database in ${data} is that of ${path}: choose another DATA_DIR, or, if that folder no longer exists and ${folder} replaces it, remove ${ownerFileOf(data)}. Nothing was changed.`;
}
