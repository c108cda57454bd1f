// Answers with sources: the marks in the text, the entry each refers to, and whether a quote occurs in its source.
import type { Json } from '@countersign/shared/json/json';
import { entriesOf, isArray, isObject, kindOf, numberText, type JsonObject } from '../json/lossless.ts';

export interface CitedAnswer {
  readonly answer: { readonly name: string; readonly text: string };
  readonly sources: { readonly name: string; readonly entries: readonly Json[] };
  /** Its other members, in order. */
  readonly rest: readonly [string, Json][];
}

/** A piece of the answer; `entry` is the index of the source a mark refers to, -1 when there is none of that name. */
type CitedPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string; readonly entry: number };

const ANSWERS = ['answer', 'response', 'output', 'text', 'content', 'message', 'reply'];
const SOURCES = ['citations', 'sources', 'references', 'footnotes', 'documents', 'context'];
const IDS = ['id', 'doc_id', 'document_id', 'source_id', 'ref', 'key', 'marker', 'number', 'index', 'source', 'doc'];
const QUOTES = ['quote', 'cited_text', 'quoted_text', 'snippet', 'excerpt'];
const TEXTS = ['text', 'content', 'body', 'passage', 'page_content', 'document'];

/** More are read as any other value: each mark is looked up among all sources, and each quote in all texts. */
const MOST_SOURCES = 100;
const LONGEST = 50_000;

/** `marked`: the text must contain a mark of one of the sources. */
export function citedAnswerOf(value: Json, marked = true): CitedAnswer | null {
  if (!isObject(value)) return null;
  const members = entriesOf(value);
  const answer = members.find(([name, text]) => ANSWERS.includes(name) && typeof text === 'string');
  const sources = members.find(([name, list]) => SOURCES.includes(name) && isArray(list) && list.length > 0);
  if (answer === undefined || sources === undefined) return null;
  const [text, entries] = [answer[1] as string, sources[1] as Json[]];
  if (entries.length > MOST_SOURCES || text.length > LONGEST) return null;
  const refers = citedPieces(text, entries).some((piece) => piece.kind === 'mark' && piece.entry >= 0);
  if (marked && !refers) return null;
  return {
    answer: { name: answer[0], text },
    sources: { name: sources[0], entries },
    rest: members.filter((member) => member !== answer && member !== sources),
  };
}

const MARK = /\[\^?([\w.:#/-]{1,64}(?:, ?[\w.:#/-]{1,64}){0,9})\](?!\()/g;

/** The pieces of an answer; joined they are its text. */
export function citedPieces(text: string, entries: readonly Json[]): CitedPiece[] {
  const ids = entries.map(idsOf);
  const pieces: CitedPiece[] = [];
  let at = 0;
  const plain = (to: number) => {
    if (to > at) pieces.push({ kind: 'text', text: text.slice(at, to) });
    at = to;
  };
  for (const match of text.matchAll(MARK)) {
    const names = (match[1] ?? '').split(/, ?/);
    // A word in brackets is no mark, unless a source has that name.
    if (!names.every((name) => /\d/.test(name) || entryOf(name, ids) >= 0)) continue;
    plain(match.index);
    for (const [index, name] of names.entries()) {
      const from = text.indexOf(name, at + (index === 0 ? 1 : 0));
      const end = index === names.length - 1 ? match.index + match[0].length : from + name.length;
      pieces.push({ kind: 'mark', text: text.slice(at, end), entry: entryOf(name, ids) });
      at = end;
    }
  }
  plain(text.length);
  return pieces;
}

/** By the name of a source, else by its position, counted from one. */
function entryOf(name: string, ids: readonly string[][]): number {
  const named = ids.findIndex((each) => each.includes(name));
  if (named >= 0 || !/^[1-9]\d{0,3}$/.test(name)) return named;
  return Number(name) <= ids.length ? Number(name) - 1 : -1;
}

/** The names of a source. */
function idsOf(entry: Json): string[] {
  if (!isObject(entry)) return [];
  return IDS.flatMap((key) => {
    const id = Object.hasOwn(entry, key) ? entry[key] : undefined;
    if (typeof id === 'string') return [id];
    return id !== undefined && kindOf(id) === 'number' ? [numberText(id)] : [];
  });
}

type QuoteCheck = 'found' | 'missing' | 'unchecked';

/** Whether the quote of a source occurs in its text: that of the entry itself, or of the entry with its name in the input. */
export function checkQuote(entry: Json, reference: Json | undefined): QuoteCheck {
  if (!isObject(entry)) return 'unchecked';
  const quote = textOf(entry, QUOTES);
  if (quote === null || quote.trim() === '') return 'unchecked';
  const own = textOf(entry, TEXTS);
  const texts = own !== null ? [own] : reference === undefined ? [] : sourceTexts(reference, idsOf(entry));
  if (texts.length === 0) return 'unchecked';
  return texts.some((text) => contains(text, quote)) ? 'found' : 'missing';
}

const textOf = (entry: JsonObject, keys: readonly string[]): string | null => {
  const key = keys.find((each) => Object.hasOwn(entry, each) && typeof entry[each] === 'string');
  return key === undefined ? null : (entry[key] as string);
};

/** The texts of the objects with one of these names; all texts when no object has one. */
function sourceTexts(reference: Json, ids: readonly string[]): string[] {
  const named: string[] = [];
  const all: string[] = [];
  const visit = (value: Json, inside: boolean, depth: number) => {
    if (typeof value === 'string') (inside ? named : all).push(value);
    else if (depth > 12) return;
    else if (isArray(value)) for (const member of value) visit(member, inside, depth + 1);
    else if (isObject(value)) {
      const here = inside || idsOf(value).some((id) => ids.includes(id));
      for (const [key, member] of entriesOf(value)) visit(member, here || ids.includes(key), depth + 1);
    }
  };
  visit(reference, false, 0);
  return named.length > 0 ? named : all;
}

/** Ignores spacing, the form of quotation marks, and omissions written as an ellipsis. */
function contains(text: string, quote: string): boolean {
  const inside = plainText(text);
  let at = 0;
  return quote
    .split(/\.{3}|…/)
    .map(plainText)
    .filter((part) => part !== '')
    .every((part) => {
      const found = inside.indexOf(part, at);
      at = found + part.length;
      return found >= 0;
    });
}

const plainText = (text: string): string =>
  text
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’‚]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
