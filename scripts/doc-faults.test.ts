// The checks that keep documents, rules and tests in step.
import { describe, expect, it } from 'vitest';
import { decisionFaults, pathsNamed, ruleFaults, rulesListed, titlesIn } from './doc-faults.ts';

describe('pathsNamed', () => {
  const rooms = new Set(['server', 'domain', 'README.md']);
  const paths = (markdown: string) => pathsNamed(markdown, rooms).map(({ path }) => path);

  it('finds links and code that look like paths', () => {
    expect(paths('See [rules](RULES.md#lc), `server/src/` and `domain/item.ts`.')).toEqual([
      'RULES.md',
      'server/src/',
      'domain/item.ts',
    ]);
  });

  it('leaves addresses, routes, commands and fenced blocks alone', () => {
    expect(
      paths(
        '[x](https://example.org/a.md) `/api/items` `npm run demo` `and/or` `.ts` `@scope/name`\n```\n`domain/x.ts`\n```\n',
      ),
    ).toEqual([]);
  });
});

describe('rules and tests', () => {
  it('are found in list items and in titles, with every modifier', () => {
    expect(rulesListed('- **RT1** flags\n| **LC0** | table |\nnot **RT9** here')).toEqual(['RT1', 'LC0']);
    expect(
      titlesIn("describe.skipIf(x)('A', () => { it.each([1])('B %i', () => {}); test(`C ${y}`, f); other('D'); });"),
    ).toEqual(["'A'", "'B %i'", '`C ${y}`']);
  });

  it('quote each other, or the check says which does not', () => {
    expect(ruleFaults(['RT1', 'PM'], ['RT1 escalates', 'PM one row each'])).toEqual([]);
    expect(ruleFaults(['RT1', 'RT2'], ['RT1 and RT10', 'X1'])).toEqual([
      expect.stringContaining('RT2'),
      expect.stringContaining('RT10'),
      expect.stringContaining('X1'),
    ]);
    expect(ruleFaults(['RT1', 'RT1'], ['RT1'])).toHaveLength(1);
  });
});

describe('decisions', () => {
  it('are numbered once and linked from somewhere', () => {
    const linked = new Set(['docs/decisions/0001-a.md', 'docs/decisions/0001-b.md']);
    expect(decisionFaults(['0001-a.md'], linked)).toEqual([]);
    expect(decisionFaults(['0001-a.md', '0001-b.md', '0002-c.md'], linked)).toHaveLength(2);
  });
});
