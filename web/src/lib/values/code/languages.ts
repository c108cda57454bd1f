// The colours of code: each line split into tokens by the language modes of CodeMirror, each mode loaded on demand.
import { StringStream, type StreamParser } from '@codemirror/streamparser';

/** A piece of a line; `tone` is the kind of token, null for plain text. */
export interface Token {
  readonly text: string;
  readonly tone: Tone | null;
}
export type Tone = 'keyword' | 'text' | 'comment' | 'number' | 'name' | 'property' | 'tag';

type Mode = StreamParser<unknown>;
type Load = () => Promise<Mode>;

const clike =
  (pick: 'c' | 'java' | 'csharp' | 'kotlin'): Load =>
  () =>
    import('@codemirror/legacy-modes/mode/clike').then((mode) => mode[pick]);
const script =
  (pick: 'javascript' | 'typescript' | 'json'): Load =>
  () =>
    import('@codemirror/legacy-modes/mode/javascript').then((mode) => mode[pick]);

const MODES: Readonly<Record<string, Load>> = {
  c: clike('c'),
  csharp: clike('csharp'),
  css: () => import('@codemirror/legacy-modes/mode/css').then(({ css }) => css),
  go: () => import('@codemirror/legacy-modes/mode/go').then(({ go }) => go),
  html: () => import('@codemirror/legacy-modes/mode/xml').then(({ html }) => html),
  java: clike('java'),
  javascript: script('javascript'),
  json: script('json'),
  kotlin: clike('kotlin'),
  python: () => import('@codemirror/legacy-modes/mode/python').then(({ python }) => python),
  ruby: () => import('@codemirror/legacy-modes/mode/ruby').then(({ ruby }) => ruby),
  rust: () => import('@codemirror/legacy-modes/mode/rust').then(({ rust }) => rust),
  shell: () => import('@codemirror/legacy-modes/mode/shell').then(({ shell }) => shell),
  sql: () => import('@codemirror/legacy-modes/mode/sql').then(({ standardSQL }) => standardSQL),
  typescript: script('typescript'),
  xml: () => import('@codemirror/legacy-modes/mode/xml').then(({ xml }) => xml),
  yaml: () => import('@codemirror/legacy-modes/mode/yaml').then(({ yaml }) => yaml),
};
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'c#': 'csharp',
  'c++': 'c',
  bash: 'shell',
  cpp: 'c',
  cs: 'csharp',
  golang: 'go',
  h: 'c',
  js: 'javascript',
  jsx: 'javascript',
  kt: 'kotlin',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shell',
  svg: 'xml',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'shell',
};

/** The colours of the first word of a token's name in these modes. */
const TONES: Readonly<Record<string, Tone>> = {
  atom: 'number',
  attribute: 'property',
  bool: 'number',
  builtin: 'name',
  comment: 'comment',
  def: 'name',
  definition: 'name',
  keyword: 'keyword',
  meta: 'comment',
  number: 'number',
  property: 'property',
  propertyName: 'property',
  qualifier: 'property',
  string: 'text',
  tag: 'tag',
  tagName: 'tag',
  type: 'name',
  typeName: 'name',
};

const LONGEST = 60_000;
const LONGEST_LINE = 2000;

/** The name of a mode for the info string of a fence; null when there is none. */
export function modeOf(language: string): string | null {
  const name = /^[\w+#-]*/.exec(language.toLowerCase())?.[0] ?? '';
  const known = Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
  return Object.hasOwn(MODES, known) ? known : null;
}

/** The tokens of each line; null when the language is unknown or the text too long. Joined they are the text. */
export async function tokenLines(text: string, language: string): Promise<Token[][] | null> {
  const load = MODES[modeOf(language) ?? ''];
  if (load === undefined || text.length > LONGEST) return null;
  const mode = await load();
  try {
    return split(text, mode);
  } catch {
    // A mode may stumble over a text that is no code.
    return null;
  }
}

function split(text: string, mode: Mode): Token[][] {
  const state = mode.startState?.(2) ?? {};
  return text.split('\n').map((line) => {
    if (line.length > LONGEST_LINE) return [{ text: line, tone: null }];
    if (line === '') mode.blankLine?.(state, 2);
    return lineTokens(line, mode, state);
  });
}

function lineTokens(line: string, mode: Mode, state: unknown): Token[] {
  const tokens: Token[] = [];
  const stream = new StringStream(line, 2, 2);
  for (let idle = 0; !stream.eol() && idle < 10;) {
    stream.start = stream.pos;
    const name = mode.token(stream, state);
    if (stream.pos === stream.start) idle += 1;
    else {
      idle = 0;
      add(tokens, line.slice(stream.start, stream.pos), toneOf(name));
    }
  }
  add(tokens, line.slice(stream.pos), null);
  return tokens;
}

/** Neighbours of one tone are one token. */
function add(tokens: Token[], text: string, tone: Tone | null): void {
  const last = tokens.at(-1);
  if (last?.tone === tone) tokens[tokens.length - 1] = { text: last.text + text, tone };
  else if (text !== '') tokens.push({ text, tone });
}

function toneOf(name: string | null): Tone | null {
  for (const word of name?.split(/[ .-]/) ?? []) if (Object.hasOwn(TONES, word)) return TONES[word] ?? null;
  return null;
}
