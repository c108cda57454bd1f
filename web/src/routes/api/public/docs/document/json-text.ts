// Highlights the names in JSON text, and indents it without changing a token.

export interface Run {
  isName: boolean;
  text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\s+/g;

/** The text split into member names and the rest; the joined runs equal the text. */
export function runsOf(json: string): Run[] {
  const tokens = json.match(TOKEN) ?? [];
  const runs: Run[] = [];
  tokens.forEach((text, index) => {
    const behind = tokens
      .slice(index + 1, index + 3)
      .join('')
      .trimStart();
    const isName = text.startsWith('"') && behind.startsWith(':');
    const last = runs.at(-1);
    if (last === undefined || isName || last.isName) runs.push({ isName, text });
    else last.text += text;
  });
  return runs;
}

/**
 * The same JSON, indented by two spaces per level. Numbers and strings retain their spelling, which parsing would not guarantee.
 * Invalid JSON is returned unchanged.
 */
export function indented(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  const tokens = (json.match(TOKEN) ?? []).filter((token) => !/^\s/.test(token));
  return tokens
    .map((token, index) => {
      const before = tokens[index - 1] ?? '';
      if (/^[}\]]$/.test(token)) {
        depth -= 1;
        return /^[{[]$/.test(before) ? token : line() + token;
      }
      const text = /^[{[,]$/.test(before) ? line() + token : token;
      if (/^[{[]$/.test(token)) depth += 1;
      return token === ':' ? ': ' : text;
    })
    .join('');
}
