// Finds the line of the guidelines that is about a reason (CT6): the one that names it.
import { keyOf } from './reason-key.ts';

/** A shorter key, such as "no", occurs in lines that have nothing to do with it. */
const SHORTEST = 4;

/** The first line that contains one of these reasons as whole words, in any spelling; null when none does. */
export function lineNaming(guidelines: string, reasons: readonly string[]): string | null {
  const keys = reasons.map(keyOf).filter((key) => key.length >= SHORTEST);
  if (keys.length === 0) return null;
  const lines = guidelines.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const names = (line: string) => {
    const text = ` ${keyOf(line)} `;
    return keys.some((key) => text.includes(` ${key} `));
  };
  return lines.find(names) ?? null;
}

/**
 * The version since which the guidelines have named one of these reasons, without a break. `versions`: newest first; the last of
 * them is the project's first where nothing was left out, and then nothing came before it.
 */
export function versionNaming<Version extends { text: string }>(
  versions: readonly Version[],
  reasons: readonly string[],
): Version | null {
  const firstWithout = versions.findIndex(({ text }) => lineNaming(text, reasons) === null);
  return versions[(firstWithout === -1 ? versions.length : firstWithout) - 1] ?? null;
}
