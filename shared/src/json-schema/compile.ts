// Compiles a JSON Schema (draft 2020-12), or says what is wrong with it.
import type { Json } from '../json/json.ts';
import { JsonLexer } from '../json/json-lexer.ts';
import { APPLICATORS } from './applicators.ts';
import { ASSERTIONS, type Part } from './assertions.ts';
import { escapePart } from '../json/json-pointer.ts';
import type { CompiledSchema, SchemaNode } from './evaluate.ts';
import { exactJson } from './exact-numbers.ts';
import { isObject, keywordOf, UNSUPPORTED_KEYWORDS } from './keywords.ts';
import type { Matcher } from './automaton.ts';
import { PatternCompiler, PatternFault } from './pattern.ts';

/** Bytes of UTF-8, levels of JSON, and schemas with those inside: what compiling it costs. */
export const SCHEMA_LIMITS = { bytes: 32 * 1024, depth: 16, schemas: 2000 } as const;
/** States of all patterns together: what memory and compiling them cost. */
const PATTERN_STATES = 10_000;
/** Characters of the pointers to all schemas: each is made and looked up several times. */
const POINTER_CHARACTERS = 1024 * 1024;
const MAX_FAULTS = 20;

/** Something wrong in a schema; a JSON pointer and a sentence. */
export interface SchemaFault {
  pointer: string;
  message: string;
}

export type Compiled = { ok: true; schema: CompiledSchema } | { ok: false; faults: SchemaFault[] };

/** Compiles the text of a schema. The faults, at most 20, are those of the whole schema: size, syntax, keywords, references. */
export function compileSchema(text: string): Compiled {
  const refused = (message: string): Compiled => ({ ok: false, faults: [{ pointer: '', message }] });
  if (new TextEncoder().encode(text).length > SCHEMA_LIMITS.bytes)
    return refused(`A schema has at most ${SCHEMA_LIMITS.bytes / 1024} KiB.`);
  // Before anything recurses into it.
  if (depthOf(text) > SCHEMA_LIMITS.depth)
    return refused(`A schema nests at most ${SCHEMA_LIMITS.depth} levels. Use $defs and $ref.`);
  const document = parsed(text);
  if (document === undefined) return refused('A schema is one JSON value. Check quotes, commas and brackets.');
  const compiler = new Compiler(document);
  const schema = compiler.compile();
  const faults = compiler.faults.slice(0, MAX_FAULTS);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, schema };
}

function parsed(text: string): Json | undefined {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

function depthOf(text: string): number {
  const lexer = new JsonLexer(text);
  let [depth, most] = [0, 0];
  for (let kind = lexer.next(); kind !== 'end' && kind !== 'broken'; kind = lexer.next()) {
    if (kind === '{' || kind === '[') most = Math.max(most, (depth += 1));
    else if (kind === '}' || kind === ']') depth -= 1;
  }
  return most;
}

type JsonObject = { [key: string]: Json };

/** A schema that is an object, as text and compiled. */
interface Found {
  node: SchemaNode;
  raw: JsonObject;
}

const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
const UNEVALUATED = ['unevaluatedItems', 'unevaluatedProperties'];

/** First finds all schemas and checks their keywords, then makes their rules, which refer to each other. */
class Compiler {
  readonly faults: SchemaFault[] = [];
  readonly #document: Json;
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #anchors = new Map<string, SchemaNode>();
  readonly #found: Found[] = [];
  readonly #patterns = new PatternCompiler(PATTERN_STATES);
  readonly #matchers = new Map<string, Matcher>();
  readonly #targets = new Map<string, SchemaNode>();
  #tracks = false;
  #pointersLeft = POINTER_CHARACTERS;

  constructor(document: Json) {
    this.#document = document;
  }

  compile(): CompiledSchema {
    const root = this.#find(this.#document, '', '$ref');
    if (this.faults.length === 0) for (const found of this.#found) this.#link(found);
    if (this.faults.length === 0) this.#refuseLoops();
    return { root, tracks: this.#tracks };
  }

  #fault(pointer: string, message: string): void {
    this.faults.push({ pointer, message });
  }

  /** Finds a schema and all schemas inside it. */
  #find(raw: Json, pointer: string, keyword: string): SchemaNode {
    if (this.#nodes.size === SCHEMA_LIMITS.schemas)
      this.#fault(pointer, `A schema consists of at most ${SCHEMA_LIMITS.schemas} schemas, itself included.`);
    this.#pointersLeft -= pointer.length;
    if (this.#pointersLeft < 0 && this.#pointersLeft + pointer.length >= 0)
      this.#fault(pointer, 'Too many schemas are inside long names. Shorten the names.');
    const allows = typeof raw === 'boolean' ? raw : null;
    const node: SchemaNode = { pointer, keyword, allows, rules: [], inPlace: [] };
    this.#nodes.set(pointer, node);
    if (isObject(raw)) {
      this.#found.push({ node, raw });
      for (const name of Object.keys(raw)) this.#check({ node, raw }, name, raw[name] ?? null);
    } else if (allows === null) this.#fault(pointer, 'A schema is an object, true or false.');
    return node;
  }

  #check({ node, raw }: Found, name: string, value: Json): void {
    const pointer = `${node.pointer}/${escapePart(name)}`;
    const unsupported = Object.hasOwn(UNSUPPORTED_KEYWORDS, name) ? UNSUPPORTED_KEYWORDS[name] : undefined;
    if (unsupported !== undefined) return this.#fault(pointer, unsupported);
    const keyword = keywordOf(name);
    if (keyword === null) return;
    if (!keyword.accepts(value)) return this.#fault(pointer, keyword.must);
    if (name === '$id' && node.pointer !== '')
      this.#fault(pointer, 'Only the whole schema may have an $id. Use $anchor.');
    if (name === '$anchor') this.#anchor(raw.$anchor as string, node);
    // Their faults are reported together with those of other keywords.
    if (name === 'pattern') this.#matcher(value as string, pointer);
    if (name === 'patternProperties')
      for (const key of Object.keys(value as object)) this.#matcher(key, `${pointer}/${escapePart(key)}`);
    this.#tracks ||= UNEVALUATED.includes(name);
    if (keyword.contains === 'schema') this.#find(value, pointer, name);
    else if (keyword.contains !== 'nothing')
      for (const [key, member] of Object.entries(value as object))
        this.#find(member as Json, `${pointer}/${escapePart(key)}`, name);
  }

  #anchor(name: string, node: SchemaNode): void {
    if (this.#anchors.has(name)) this.#fault(`${node.pointer}/$anchor`, 'Another schema has this name.');
    this.#anchors.set(name, node);
  }

  #link({ node, raw }: Found): void {
    const rank = (name: string) => (name === 'type' ? 0 : UNEVALUATED.includes(name) ? 2 : 1);
    for (const name of Object.keys(raw).sort((one, other) => rank(one) - rank(other))) {
      const tested = ruleOf(name);
      if (!tested) continue;
      const part = this.#part({ node, raw }, name);
      node.rules.push({ keyword: name, pointer: part.pointer, of: tested.of, test: tested.build(part) });
    }
    for (const name of IN_PLACE) node.inPlace.push(...this.#inPlace({ node, raw }, name));
  }

  #part({ node, raw }: Found, keyword: string): Part {
    const pointer = `${node.pointer}/${escapePart(keyword)}`;
    return {
      value: raw[keyword] ?? null,
      pointer,
      keyword,
      siblings: raw,
      child: (...keys) => this.#nodes.get([node.pointer, ...keys.map(escapePart)].join('/')) as SchemaNode,
      matcher: (pattern) => this.#matcher(pattern, pointer),
      target: () => this.#target(raw.$ref as string, pointer),
    };
  }

  #matcher(pattern: string, pointer: string): Matcher {
    const known = this.#matchers.get(pattern);
    if (known) return known;
    try {
      const matcher = this.#patterns.compile(pattern);
      this.#matchers.set(pattern, matcher);
      return matcher;
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      this.#fault(pointer, error.message);
      return () => false;
    }
  }

  #target(reference: string, pointer: string): SchemaNode {
    const known = this.#targets.get(reference);
    if (known) return known;
    const node = this.#resolve(reference, pointer);
    this.#targets.set(reference, node);
    return node;
  }

  /** The schema that a reference means: `#` or nothing, `#/$defs/name` or `#anchor`, also after the `$id` of the schema. */
  #resolve(reference: string, pointer: string): SchemaNode {
    const fragment = this.#fragmentOf(reference);
    const node = fragment === null ? undefined : (this.#nodes.get(fragment) ?? this.#anchors.get(fragment));
    if (node) return node;
    const reason = fragment === null ? this.#whyOutside(reference) : 'It refers to no schema in here';
    this.#fault(pointer, `${reason}. Use #/$defs/… or #.`);
    return { pointer, keyword: '$ref', allows: false, rules: [], inPlace: [] };
  }

  #fragmentOf(reference: string): string | null {
    try {
      const fragment = this.#rawFragmentOf(reference);
      return fragment === null ? null : decodeURIComponent(fragment);
    } catch {
      return null;
    }
  }

  #whyOutside(reference: string): string {
    return this.#rawFragmentOf(reference) === null
      ? 'Only references inside the schema are supported'
      : 'A % of it is not followed by two hexadecimal digits of valid UTF-8';
  }

  /** The fragment as written; null for a reference to another document. A relative `$id` is compared as written too. */
  #rawFragmentOf(reference: string): string | null {
    if (reference === '' || reference.startsWith('#')) return reference.slice(1);
    const id = isObject(this.#document) && typeof this.#document.$id === 'string' ? this.#document.$id : '';
    const own = URL.parse(id, NO_ADDRESS);
    const target = own && URL.parse(reference, own.href);
    if (!own || !target) return null;
    const [address, fragment = ''] = target.href.split('#');
    return address === own.href.split('#')[0] ? fragment : null;
  }

  #inPlace({ node, raw }: Found, keyword: string): SchemaNode[] {
    if (!Object.hasOwn(raw, keyword)) return [];
    const pointer = `${node.pointer}/${keyword}`;
    if (keyword === '$ref') return [this.#target(raw.$ref as string, pointer)];
    const single = this.#nodes.get(pointer);
    if (single) return [single];
    return Object.keys(raw[keyword] as object).flatMap((key) => this.#nodes.get(`${pointer}/${escapePart(key)}`) ?? []);
  }

  /** A schema that applies itself to the same value would never end. */
  #refuseLoops(): void {
    const done = new Set<SchemaNode>();
    const open = new Set<SchemaNode>();
    const visit = (node: SchemaNode): void => {
      if (done.has(node)) return;
      if (open.has(node))
        return this.#fault(
          node.pointer,
          'This schema refers to itself for the same value. Refer to it for a member or an entry.',
        );
      open.add(node);
      node.inPlace.forEach(visit);
      open.delete(node);
      done.add(node);
    };
    for (const { node } of this.#found) visit(node);
  }
}

/** What a relative `$id` is resolved against: nothing is ever fetched from it. */
const NO_ADDRESS = 'https://schema.invalid/';

const ruleOf = (name: string) =>
  Object.hasOwn(ASSERTIONS, name) ? ASSERTIONS[name] : Object.hasOwn(APPLICATORS, name) ? APPLICATORS[name] : undefined;
