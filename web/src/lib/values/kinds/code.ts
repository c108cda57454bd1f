// Recognizes program text: one fenced block, or the signs of a language in a text that is not prose.
import { hasStructure } from './markup.ts';

export interface Code {
  /** As written after the fence, or the recognized language; empty when there is none. */
  readonly language: string;
  readonly text: string;
}

const FENCE = /^(`{3,}|~{3,})([^`]*)$/;
/** Reading a longer text for its language would take too long. */
const LONGEST = 20_000;
const LONGEST_LINE = 1000;

/** The content of a text that is one fenced block, and nothing else. Line by line: a hostile text must not take long. */
function fencedCode(text: string): Code | null {
  const lines = text.trim().split('\n');
  const [, fence, info = ''] = FENCE.exec(lines[0]?.trimEnd() ?? '') ?? [];
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trimEnd() !== fence) return null;
  const body = lines.slice(1, -1);
  // Another fence inside ends the first one: then it is Markdown.
  if (body.some((line) => /^ {0,3}(?:```|~~~)/.test(line.trimStart()))) return null;
  return { language: info.trim(), text: body.join('\n') };
}

/** For each language its signs; two of them make a text code. */
const SIGNS: readonly (readonly [language: string, signs: readonly RegExp[]])[] = [
  [
    'python',
    [
      /^[ \t]*(?:async )?def \w+\(.*\).*:\s*(?:#.*)?$/m,
      /^(?:from [\w.]+ )?import [\w., *]+$/m,
      /^[ \t]*(?:if|for|while|elif|else|try|except|with|class)\b[^?]*:[ \t]*$/m,
      /^[ \t]+return\b/m,
      /\bself\.\w|\bprint\(/,
    ],
  ],
  [
    'typescript',
    [
      /^[ \t]*(?:export )?(?:interface|type|enum) \w+.*[={][ \t]*$/m,
      /\w\??: (?:string|number|boolean|void|unknown|Promise<)/,
    ],
  ],
  [
    'javascript',
    [
      /^[ \t]*(?:export )?(?:const|let|var) [\w{[].*=/m,
      /=> ?[{(\w]/,
      /\bfunction\b ?\w*\(.*\) ?\{/,
      /^[ \t]*(?:import|export)\b.*['"];?$/m,
      /[\w)'"];[ \t]*$/m,
      /^[ \t]*\}\)?[;,]?[ \t]*$/m,
    ],
  ],
  ['go', [/^package \w+$/m, /^func .*\{$/m, /^[ \t]*\w+(?:, \w+)* := /m, /^import (?:\(|")/m]],
  ['rust', [/\bfn \w+.*(?:->|\{)/, /^[ \t]*let (?:mut )?\w+.*;$/m, /^[ \t]*(?:pub|impl|use|mod)\b.*[{;]$/m]],
  [
    'java',
    [
      /^[ \t]*(?:public|private|protected)\b.*[{;(][ \t]*$/m,
      /^[ \t]*(?:package|import) [\w.*]+;$/m,
      /\b(?:int|String|void|boolean|final) \w+ ?[=(;]/,
    ],
  ],
  [
    'c',
    [
      /^[ \t]*#include [<"]/m,
      /^[ \t]*(?:int|void|char|float|double|static|struct)\b.*[{;][ \t]*$/m,
      /^[ \t]*\}\s*;?$/m,
    ],
  ],
  [
    'sql',
    [
      /^[ \t]*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|WITH \w+ AS)\b/,
      /\b(?:FROM|WHERE|JOIN|GROUP BY|ORDER BY|VALUES|SET)\b/,
      /;[ \t]*$/,
    ],
  ],
  [
    'shell',
    [
      /^#!.*\b(?:ba|z)?sh\b/,
      /^[ \t]*(?:export \w+=|sudo |cd |echo |curl |npm |git |docker |apt(?:-get)? |mkdir |chmod )/m,
      /"?\$\{?[A-Za-z_]\w*\}?"?/,
      /^[ \t]*(?:fi|done|then|esac|do)[ \t]*$/m,
      / && | \| \w+|\\$/m,
    ],
  ],
  ['css', [/^[.#@\w][^{}\n]*\{[ \t]*$/m, /^[ \t]+[\w-]+:[ \t]*[^\s;{}][^;{}\n]*;[ \t]*$/m]],
];

/** A line that begins with a capital and has five words or more, none of them with a sign of code. */
const isProse = (line: string): boolean =>
  /^\s*(?:[-*] )?["'\p{Lu}]/u.test(line) && !/[;{}=<>]/.test(line) && line.trim().split(/\s+/).length >= 5;

/** The code a text consists of; null when it may be prose. */
export function codeOf(text: string): Code | null {
  const fenced = fencedCode(text);
  if (fenced !== null) return fenced;
  if (text.length > LONGEST) return null;
  const all = text.split('\n');
  // Also a line of blanks alone, through which an expression would go from each of them on.
  if (all.some((line) => line.length > LONGEST_LINE) || hasStructure(text)) return null;
  const lines = all.filter((line) => line.trim() !== '');
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
