// Recognizes program text: one fenced block, or the signs of a language in a text that is not prose.
import { hasStructure } from './markdown.ts';

export interface Code {
  /** As written after the fence, or the recognized language; empty when there is none. */
  readonly language: string;
  readonly text: string;
}

const FENCED = /^\s*(```+|~~~+)([^\n`]*)\n([\s\S]*?)\n?\1\s*$/;
/** Reading a longer text for its language would take too long. */
const LONGEST = 100_000;
const LONGEST_LINE = 1000;

/** The content of a text that is one fenced block, and nothing else. */
function fencedCode(text: string): Code | null {
  const [, , info = '', body] = FENCED.exec(text) ?? [];
  // Another fence inside ends the first one: then it is Markdown.
  return body === undefined || /^\s*(?:```|~~~)/m.test(body) ? null : { language: info.trim(), text: body };
}

/** For each language its signs; two of them make a text code. */
const SIGNS: readonly (readonly [language: string, signs: readonly RegExp[]])[] = [
  [
    'python',
    [
      /^\s*(?:async )?def \w+\(.*\).*:\s*(?:#.*)?$/m,
      /^(?:from [\w.]+ )?import [\w., *]+$/m,
      /^\s*(?:if|for|while|elif|else|try|except|with|class)\b[^?]*:\s*$/m,
      /^\s+return\b/m,
      /\bself\.\w|\bprint\(/,
    ],
  ],
  [
    'typescript',
    [
      /^\s*(?:export )?(?:interface|type|enum) \w+.*[={]\s*$/m,
      /\w\??: (?:string|number|boolean|void|unknown|Promise<)/,
    ],
  ],
  [
    'javascript',
    [
      /^\s*(?:export )?(?:const|let|var) [\w{[].*=/m,
      /=> ?[{(\w]/,
      /\bfunction\b ?\w*\(.*\) ?\{/,
      /^\s*(?:import|export)\b.*['"];?$/m,
      /[\w)'"];\s*$/m,
      /^\s*\}\)?[;,]?\s*$/m,
    ],
  ],
  ['go', [/^package \w+$/m, /^func .*\{$/m, /^\s*\w+(?:, \w+)* := /m, /^import (?:\(|")/m]],
  ['rust', [/\bfn \w+.*(?:->|\{)/, /^\s*let (?:mut )?\w+.*;$/m, /^\s*(?:pub|impl|use|mod)\b.*[{;]$/m]],
  [
    'java',
    [
      /^\s*(?:public|private|protected)\b.*[{;(]\s*$/m,
      /^\s*(?:package|import) [\w.*]+;$/m,
      /\b(?:int|String|void|boolean|final) \w+ ?[=(;]/,
    ],
  ],
  ['c', [/^\s*#include [<"]/m, /^\s*(?:int|void|char|float|double|static|struct)\b.*[{;]\s*$/m, /^\s*\}\s*;?$/m]],
  [
    'sql',
    [
      /^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|WITH \w+ AS)\b/,
      /\b(?:FROM|WHERE|JOIN|GROUP BY|ORDER BY|VALUES|SET)\b/,
      /;\s*$/,
    ],
  ],
  [
    'shell',
    [
      /^#!.*\b(?:ba|z)?sh\b/,
      /^\s*(?:export \w+=|sudo |cd |echo |curl |npm |git |docker |apt(?:-get)? |mkdir |chmod )/m,
      /"?\$\{?[A-Za-z_]\w*\}?"?/,
      /^\s*(?:fi|done|then|esac|do)\s*$/m,
      / && | \| \w+|\\$/m,
    ],
  ],
  ['css', [/^[.#@\w][^{}\n]*\{\s*$/m, /^\s+[\w-]+:\s*[^;{}\n]+;\s*$/m]],
];

/** A line that begins with a capital and has five words or more, none of them with a sign of code. */
const isProse = (line: string): boolean =>
  /^\s*(?:[-*] )?["'\p{Lu}]/u.test(line) && !/[;{}=<>]/.test(line) && line.trim().split(/\s+/).length >= 5;

/** The code a text consists of; null when it may be prose. */
export function codeOf(text: string): Code | null {
  const fenced = fencedCode(text);
  if (fenced !== null) return fenced;
  if (text.length > LONGEST) return null;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.some((line) => line.length > LONGEST_LINE) || hasStructure(text)) return null;
  const language = languageOf(text);
  if (language === null || (lines.length < 2 && language !== 'sql')) return null;
  const prose = lines.filter(isProse).length;
  return prose * 5 > lines.length ? null : { language, text };
}

function languageOf(text: string): string | null {
  let best: string | null = null;
  let most = 1;
  for (const [language, signs] of SIGNS) {
    const count = signs.filter((sign) => sign.test(text)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
