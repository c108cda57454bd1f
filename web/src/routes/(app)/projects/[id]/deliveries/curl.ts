// An attempt as a command that sends the very same bytes. Whatever the bytes are, a shell reads them as text.
import { HEADERS } from '@countersign/shared/webhook';

/** Control characters, and format characters that a terminal hides or turns text with. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const SIGNATURES: readonly string[] = [HEADERS.signature, HEADERS.signatureSecondary, HEADERS.standard];

/**
 * One word of bash, zsh or ksh that stands for `text`, which holds no NUL (no argument can). In single quotes where it can be
 * read; otherwise as `$'…'`, in which what cannot be seen is spelt out, so that nothing hides in a pasted command.
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

/** Three digits each: whatever follows is none of them. */
const octal = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/** A URL as it is asked for, so that curl has nothing left to read into it. */
const escaped = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * The command. The signature is made when it runs, from a secret that only whoever runs it knows. The body goes through a pipe:
 * as an argument it could be too long, and one that begins with `@` would be taken for a file.
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
