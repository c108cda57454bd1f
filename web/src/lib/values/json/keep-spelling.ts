// Writes an edited value in the spelling of the text it came from: what did not change stays byte for byte (TS4). Pure.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import { JsonLexer } from '@countersign/shared/json/json-lexer';
import type { Json } from '@countersign/shared/json/json';
import { entryPairs } from './entry-pairs.ts';
import { entriesOf, isArray, isObject, kindOf, numberText, parseJson, printJson, type JsonObject } from './lossless.ts';

/** A value in the text, with its members. Positions are indices into the text. */
interface Node {
  readonly from: number;
  readonly to: number;
  readonly value: Json;
  readonly members: readonly Member[];
}
interface Member {
  /** Where its key starts, or the entry of a list. */
  readonly from: number;
  /** Null in a list. */
  readonly key: string | null;
  /** Its place among the members. */
  readonly index: number;
  readonly node: Node;
}

/** The text of `edited`; every part of it that `source` contains is copied from there. `source` is valid JSON. */
export function keepSpelling(source: string, edited: Json): string {
  return new Speller(source).write(edited);
}

/** Where the value of a JSON pointer is in a text that is valid JSON; of a place that is not there, the nearest around it. */
export function spanOf(source: string, pointer: string): { from: number; to: number } {
  let node = nodesOf(source);
  for (const step of stepsOf(pointer)) {
    const inner = node.members.find(({ key }, at) => (key ?? String(at)) === step);
    if (inner === undefined) break;
    node = inner.node;
  }
  return node;
}

class Speller {
  readonly #source: string;
  readonly #root: Node;

  constructor(source: string) {
    this.#source = source;
    this.#root = nodesOf(source);
  }

  write(edited: Json): string {
    const { from, to } = this.#root;
    return this.#source.slice(0, from) + this.#of(this.#root, edited) + this.#source.slice(to);
  }

  #of(node: Node, edited: Json): string {
    if (sameSpelling(node.value, edited)) return this.#source.slice(node.from, node.to);
    if (isObject(node.value) && isObject(edited)) return this.#object(node, edited);
    if (isArray(node.value) && isArray(edited)) return this.#list(node, edited);
    return printJson(edited, 0);
  }

  #object(node: Node, edited: JsonObject): string {
    const before = new Map(node.members.map((member) => [member.key, member]));
    const parts = entriesOf(edited).map(([key, value]) => {
      const member = before.get(key);
      if (member === undefined) return { member, text: JSON.stringify(key) + this.#colon(node) + printJson(value, 0) };
      const head = this.#source.slice(member.from, member.node.from);
      return { member, text: head + this.#of(member.node, value) };
    });
    return this.#joined(node, parts);
  }

  #list(node: Node, edited: readonly Json[]): string {
    const pairs = entryPairs(
      node.members.map((member) => member.node.value),
      edited,
    );
    return this.#joined(
      node,
      edited.map((value, at) => {
        const member = node.members[pairs[at] ?? -1];
        return { member, text: member === undefined ? printJson(value, 0) : this.#of(member.node, value) };
      }),
    );
  }

  /** The members between the brackets, with the text's own commas and white space wherever two were neighbours before. */
  #joined(node: Node, parts: readonly { member: Member | undefined; text: string }[]): string {
    const { members } = node;
    const [open, close] = [this.#source[node.from] ?? '', this.#source[node.to - 1] ?? ''];
    const [first, second, last] = [members[0], members[1], members.at(-1)];
    if (parts.length === 0 || first === undefined || last === undefined)
      return open + parts.map(({ text }) => text).join(',') + close;
    const usual = second === undefined ? ',' : this.#source.slice(first.node.to, second.from);
    let text = open + this.#source.slice(node.from + 1, first.from);
    for (const [at, part] of parts.entries()) {
      if (at > 0) text += this.#between(members, parts[at - 1]?.member, part.member) ?? usual;
      text += part.text;
    }
    return text + this.#source.slice(last.node.to, node.to - 1) + close;
  }

  #between(members: readonly Member[], left: Member | undefined, right: Member | undefined): string | null {
    if (left === undefined || right === undefined || members[left.index + 1] !== right) return null;
    return this.#source.slice(left.node.to, right.from);
  }

  /** What is between the key and the value of its first member. */
  #colon({ members: [first] }: Node): string {
    if (first === undefined) return ':';
    const lexer = new JsonLexer(this.#source, first.from);
    lexer.next();
    return this.#source.slice(lexer.at, first.node.from);
  }
}

/** Equal with the order of keys and the text of numbers. */
function sameSpelling(one: Json, other: Json): boolean {
  const kind = kindOf(one);
  if (kind !== kindOf(other)) return false;
  if (kind === 'number') return numberText(one) === numberText(other);
  if (isArray(one) && isArray(other))
    return one.length === other.length && one.every((member, at) => sameSpelling(member, other[at] ?? null));
  if (!isObject(one) || !isObject(other)) return one === other;
  const [left, right] = [entriesOf(one), entriesOf(other)];
  return (
    left.length === right.length &&
    left.every(([key, value], at) => right[at]?.[0] === key && sameSpelling(value, right[at][1]))
  );
}

/** The values of a text with their positions. */
function nodesOf(source: string): Node {
  const lexer = new JsonLexer(source);
  lexer.next();
  return nodeAt(lexer, parseJson(source));
}

/** Reads the value at the lexer's token and moves behind it; `value` is the same, parsed. */
function nodeAt(lexer: JsonLexer, value: Json): Node {
  const { from, at } = lexer;
  if (!isArray(value) && !isObject(value)) {
    lexer.next();
    return { from, to: at, value, members: [] };
  }
  const members: Member[] = [];
  const inner: [string | null, Json][] = isArray(value) ? value.map((each) => [null, each]) : entriesOf(value);
  lexer.next();
  for (const [index, [key, each]] of inner.entries()) {
    const start = lexer.from;
    if (key !== null) {
      lexer.next();
      lexer.next();
    }
    members.push({ from: start, key, index, node: nodeAt(lexer, each) });
    if (lexer.kind === ',') lexer.next();
  }
  const to = lexer.at;
  lexer.next();
  return { from, to, value, members };
}
