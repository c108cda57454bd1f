// JSON text for the eye: its names told from the rest, and indented without changing a single word of it.

export interface Run {
  isName: boolean;
  text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\s+/g;

/** The text cut into names of members and what stands between them; joined the runs are the text. */
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
 * The same JSON, two spaces for each level. Numbers and strings stay as they are spelled, which parsing would not
 * promise. What is no JSON comes back as it is.
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
