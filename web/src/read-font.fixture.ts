// Reads the characters and the names of a WOFF2 file, for the tests of the fonts.
import { brotliDecompressSync } from 'node:zlib';

export interface FontContents {
  characters: ReadonlySet<number>;
  /** The entries of the name table, by their id. */
  names: ReadonlyMap<number, string>;
}

/** Reads a font as written by this build: WOFF2, with Unicode characters and Windows names. */
export function readFont(file: Buffer): FontContents {
  const tables = tablesOf(file);
  return { characters: charactersOf(tables.get('cmap')!), names: namesOf(tables.get('name')!) };
}

/** The known tags of WOFF2 in their order, as far as they are read here. */
const KNOWN_TAGS = ['cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name', 'OS/2', 'post', 'cvt ', 'fpgm', 'glyf', 'loca'];

/** https://www.w3.org/TR/WOFF2/#table_dir_format */
function tablesOf(file: Buffer): Map<string, Buffer> {
  let at = 48;
  const variable = () => {
    let value = 0;
    for (;;) {
      const byte = file[at++]!;
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  const entries = Array.from({ length: file.readUInt16BE(12) }, () => {
    const flags = file[at++]!;
    const index = flags & 63;
    const tag = index === 63 ? file.toString('latin1', at, (at += 4)) : (KNOWN_TAGS[index] ?? `#${index}`);
    const length = variable();
    const isGlyphs = tag === 'glyf' || tag === 'loca';
    const transformed = isGlyphs ? flags >> 6 !== 3 : flags >> 6 !== 0;
    return { tag, length: transformed ? variable() : length };
  });
  const data = brotliDecompressSync(file.subarray(at, at + file.readUInt32BE(20)));
  let offset = 0;
  return new Map(entries.map(({ tag, length }) => [tag, data.subarray(offset, (offset += length))]));
}

/** All characters of the subtables of formats 4 and 12. */
function charactersOf(cmap: Buffer): Set<number> {
  const found = new Set<number>();
  for (let table = 0; table < cmap.readUInt16BE(2); table += 1) {
    const sub = cmap.subarray(cmap.readUInt32BE(4 + table * 8 + 4));
    const format = sub.readUInt16BE(0);
    const ranges = format === 4 ? rangesOfFormat4(sub) : format === 12 ? rangesOfFormat12(sub) : [];
    for (const [from, to] of ranges) for (let code = from; code <= to; code += 1) found.add(code);
  }
  return found;
}

function rangesOfFormat4(sub: Buffer): [number, number][] {
  const size = sub.readUInt16BE(6);
  const ranges = Array.from({ length: size / 2 }, (_, segment): [number, number] => [
    sub.readUInt16BE(16 + size + segment * 2),
    sub.readUInt16BE(14 + segment * 2),
  ]);
  // The last segment is the end mark.
  return ranges.filter(([from]) => from !== 0xffff);
}

const rangesOfFormat12 = (sub: Buffer): [number, number][] =>
  Array.from({ length: sub.readUInt32BE(12) }, (_, group) => [
    sub.readUInt32BE(16 + group * 12),
    sub.readUInt32BE(20 + group * 12),
  ]);

function namesOf(name: Buffer): Map<number, string> {
  const strings = name.readUInt16BE(4);
  return new Map(
    Array.from({ length: name.readUInt16BE(2) }, (_, record) => {
      const at = 6 + record * 12;
      const start = strings + name.readUInt16BE(at + 10);
      const text = Buffer.from(name.subarray(start, start + name.readUInt16BE(at + 8))).swap16();
      return [name.readUInt16BE(at + 6), text.toString('utf16le')];
    }),
  );
}
