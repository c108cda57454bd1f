// The preview of an item: one line of its input that identifies it in lists.

const PREVIEW_LENGTH = 140;

/**
 * A one-line preview that identifies an item in a list: the first text of the input, with white space collapsed. An embedded file
 * is named by its kind and size, and only where there is no text.
 */
export function previewOf(input: unknown): string {
  // The beginning is enough: collapsing the white space of a long text would be the slowest part of the intake.
  const beginning = firstText(input, 0)
    .trimStart()
    .slice(0, PREVIEW_LENGTH * 20)
    .toWellFormed();
  const line = beginning.replace(/\s+/gu, ' ').trim();
  const points = Array.from(line.slice(0, PREVIEW_LENGTH * 2));
  return points.length > PREVIEW_LENGTH ? `${points.slice(0, PREVIEW_LENGTH - 1).join('')}…` : points.join('');
}

/** Members that usually contain the question come before the others. */
const PREVIEW_KEYS = ['question', 'subject', 'title', 'prompt', 'text', 'message', 'content', 'body'];

function firstText(value: unknown, depth: number): string {
  if (typeof value === 'string') return fileName(value) ?? value;
  if (value === null || typeof value !== 'object' || depth > 4) return JSON.stringify(value, withFileNames) ?? '';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : firstText(latestTurn(value), depth + 1);
  const record = value as Record<string, unknown>;
  const key = PREVIEW_KEYS.find((name) => isText(record[name]));
  if (key !== undefined) return record[key] as string;
  const found = turnContent(record) ?? firstMember(Object.values(record));
  return found === null ? JSON.stringify(value, withFileNames) : firstText(found, depth + 1);
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && fileName(value) === null;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The parts of a turn of a chat, which may be texts and pictures: its role says nothing. */
function turnContent({ role, content }: Record<string, unknown>): object | null {
  return typeof role === 'string' && isContainer(content) ? content : null;
}

/** The first member that may contain a text, an embedded file last; null without one. */
function firstMember(members: unknown[]): string | object | null {
  const candidates = members.filter((member) => typeof member === 'string' || isContainer(member));
  return candidates.find((member) => isContainer(member) || fileName(member) === null) ?? candidates[0] ?? null;
}

/** The last user message of a chat; the first member of any other list, an embedded file last. */
function latestTurn(list: unknown[]): unknown {
  const isUser = (turn: unknown) => isContainer(turn) && (turn as { role?: unknown }).role === 'user';
  return list.findLast(isUser) ?? list.find((member) => typeof member !== 'string' || isText(member)) ?? list[0];
}

/** JSON text with the names of embedded files in their place. */
const withFileNames = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? (fileName(value) ?? value) : value;

const FAMILIES: Readonly<Record<string, string>> = { image: 'Image', audio: 'Audio', video: 'Video' };
const EMBEDDED = /^data:([a-z]{1,20})\/(?:x-)?([a-z0-9.-]{1,80})(?:\+[a-z]{1,10})?(?:;[a-z0-9=_.-]{1,80})*;base64,/i;
/** The longest beginning of a `data:` value that is read. */
const MOST_BEFORE_DATA = 300;

/** What a file embedded as a `data:` value in base64 is, as `Image, PNG, 12 KiB`; null for any other text. */
function fileName(text: string): string | null {
  const [head, family = '', format = ''] = EMBEDDED.exec(text.slice(0, MOST_BEFORE_DATA)) ?? [];
  if (head === undefined) return null;
  const kind = FAMILIES[family.toLowerCase()] ?? (format.toLowerCase() === 'pdf' ? 'PDF' : 'File');
  const named =
    kind === 'PDF' || format.length > 10 ? [kind] : [kind, format === 'mpeg' ? 'MP3' : format.toUpperCase()];
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Math.max(0, Math.floor(((text.length - head.length) * 3) / 4) - padding);
  return [
    ...named,
    bytes < 1024 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${Math.ceil(bytes / 1024)} KiB`,
  ].join(', ');
}

/** A PostgreSQL pattern of previews that only name an embedded file: they are alike without meaning the same. */
export const FILE_PREVIEW = '^(Image|Audio|Video|PDF|File)(, [A-Z0-9.-]{1,10})?, [0-9]+ (bytes?|KiB)$';
