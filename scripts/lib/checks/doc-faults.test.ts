// The checks that keep documents, rules and tests in step.
import { describe, expect, it } from 'vitest';
import {
  anchorsOf,
  citationFaults,
  decisionFaults,
  fileListFaults,
  pathsNamed,
  ruleFaults,
  rulesListed,
  titlesIn,
} from './doc-faults.ts';

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

describe('citations', () => {
  const pages: Record<string, string> = { 'docs/spec/items.md': '# Items\n\n## The [decision](x.md), again\n' };
  const faults = (source: string) => citationFaults('a.ts', source, (path) => pages[path]);

  it('name a page and a section that exist', () => {
    expect(faults('// (docs/spec/items.md) and (docs/spec/items.md#the-decision-again).')).toEqual([]);
  });

  it.each([
    ['a page that is not there', '// docs/spec/other.md', 'docs/spec/other.md'],
    ['a section that is not there', '// docs/spec/items.md#limits', 'no such section'],
    ['a document outside of the repository', '// CONTRACT section 2', 'CONTRACT'],
    ['a section of the specification', '// (specification section 6)', 'specification section 6'],
    ['a rule of another list', '// (security K3)', 'security K3'],
  ])('refuses to cite %s', (_, source, named) => {
    expect(faults(source)).toEqual([expect.stringContaining(named)]);
  });

  it('go by the anchors that a renderer makes of headings', () => {
    expect([...anchorsOf('# A, b & `c`\n```\n# no\n```\n## Two  words')]).toEqual(['a-b--c', 'two--words']);
  });
});

describe('a list of files', () => {
  const faults = (lines: string[], given: Partial<Parameters<typeof fileListFaults>[2]> = {}) =>
    fileListFaults(['# A', '#### Way', ...lines, '## B', '1. `other.ts`: later'].join('\n'), '#### Way', {
      ...{ exists: (path) => path.endsWith('.ts'), required: [], most: 2, ...given },
    });

  it('is right when each file is there, once, in order', () => {
    expect(faults(['1. `a.ts`: first', '2. `b.ts`: last'], { required: ['b.ts'] })).toEqual([]);
  });

  it.each([
    ['no list', [], {}, 'lists no files'],
    ['too many files', ['1. `a.ts`', '2. `b.ts`', '3. `c.ts`'], {}, 'lists 3 files'],
    ['a number out of order', ['1. `a.ts`', '3. `b.ts`'], {}, 'numbers b.ts 3'],
    ['a file twice', ['1. `a.ts`', '2. `a.ts`'], {}, 'lists a.ts twice'],
    ['a file that does not exist', ['1. `a.js`'], {}, 'lists a.js, which does not exist'],
    ['a file left out', ['1. `a.ts`'], { required: ['b.ts'] }, 'does not list b.ts'],
  ])('has a fault: %s', (_, lines, given, fault) => {
    expect(faults(lines, given)).toEqual([expect.stringContaining(fault)]);
  });
});
