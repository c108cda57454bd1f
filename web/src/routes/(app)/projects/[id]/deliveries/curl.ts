// Builds a command that sends the bytes of an attempt again. A shell reads any bytes as text.
import { HEADERS } from '@countersign/shared/webhook';

/** Control characters, and format characters that a terminal hides or reorders text with. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const SIGNATURES: readonly string[] = [HEADERS.signature, HEADERS.signatureSecondary, HEADERS.standard];

/**
 * One word of bash, zsh or ksh that evaluates to `text`, which contains no NUL (no argument can). In single quotes where it is
 * readable; otherwise as `$'…'`, in which invisible characters are escaped, so that nothing hides in a pasted command.
 */
export function quoted(text: string): string {
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = Array.from(text, (character) => {
    if (character === '\\' || character === "'") return `\\${character}`;
    if (character === '\n') return String.raw`\n`;
    return UNSEEN.test(character) ? octal(character) : character;
  });
  return `$'${escaped.join('')}'`;
}

/** Always three digits, so that a following digit is not part of it. */
const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A normalized URL, so that curl interprets nothing in it. */
const escaped = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * The command. It computes the signature when it runs, from a secret that only its user knows. The body goes through a pipe: as
 * an argument it could be too long, and one that begins with `@` would be taken for a file.
 */
export function curlOf({ url, headers, body }: Sent): string {
  const plain = Object.entries(headers).filter(([name]) => !SIGNATURES.includes(name));
  return [
    '# Put your secret in place of whsec_… : the signature is the hex HMAC-SHA256 of the body, made here by openssl.',
    "secret='whsec_…'",
    `body=${quoted(body)}`,
    `signature=$(printf %s "$body" | openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)`,
    `printf %s "$body" | curl --globoff ${quoted(escaped(url))} \\`,
    ...plain.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`),
    `  -H "${HEADERS.signature}: $signature" \\`,
    '  --data-binary @-',
  ].join('\n');
}
