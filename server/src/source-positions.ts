// Replaces positions in the bundle, as stacks have them, by those in the sources.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceOrigin } from 'node:module';
import { join } from 'node:path';
import { FOLDER_PREFIX } from './bundle.ts';

/** A position begins at a delimiter: tried at each character, a long line of a message would take seconds. */
const POSITION = new RegExp(
  `(?<![^\\s"'()])(?:file://)?([^\\s"'()]*/server/${FOLDER_PREFIX}[\\w-]+/[\\w.~-]+\\.mjs):(\\d+):(\\d+)`,
  'g',
);
const maps = new Map<string, SourceMap | null>();

/** The same text with positions in a bundle replaced. Those in packages, which have no map, stay. */
export function withSourcePositions(text: string): string {
  if (!text.includes(`/${FOLDER_PREFIX}`)) return text;
  return text.replaceAll(POSITION, (position, ...[file = '', line, column]: string[]) => {
    const origin: Partial<SourceOrigin> = mapOf(file)?.findOrigin(Number(line), Number(column)) ?? {};
    if (origin.fileName === undefined) return position;
    return `${join(file, '..', origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

/** Loaded for the first stack and not at the start, where Node's own support of maps costs as much as the bundle saves. */
function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(`${file}.map`);
  maps.set(file, map);
  return map;
}

/** Null without a map, and for a damaged one: the log writes the error in any case. */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}
