// Identifies a folder, so that what a file in it says is not believed in a copy of the folder.
import { realpathSync, statSync } from 'node:fs';

export interface Place {
  path: string;
  /** Its device and number: what a renamed folder keeps. */
  inode: string;
}

/** The place of an existing folder. */
export function placeOf(folder: string): Place {
  const path = realpathSync(folder);
  // As text, because the numbers of some systems do not fit into a JSON number.
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, inode: `${dev}:${ino}` };
}

/** Whether `folder` is at this place, be it renamed or mounted elsewhere. A copy is not. */
export function isAt(folder: string, { path, inode }: Place): boolean {
  const here = placeOf(folder);
  return here.path === path || here.inode === inode;
}
