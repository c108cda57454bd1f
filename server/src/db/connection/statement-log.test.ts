// What the slow statement log contains: the text of a statement without its values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statementWithoutValues } from './statement-log.ts';

describe('the text of a slow statement', () => {
  it.each([
    ['select  1\n  from item', 'select 1 from item'],
    [`select 'it''s' from item`, 'select ? from item'],
    [`update item set input = E'a\\'b' where id = 'x'`, 'update item set input = ? where id = ?'],
    [`select 'C:\\' from item where note = 'secret'`, 'select ? from item where note = ?'],
    [`select 'never ends`, 'select'],
  ])('%j is logged as %j', (text, shown) => {
    expect(statementWithoutValues(text)).toBe(shown);
  });

  it('contains no part of any value, however it is quoted', () => {
    const value = fc.string({ unit: fc.constantFrom('§', "'", '\\', ' ', 'E', '"') });
    const plain = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const escaped = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.boolean())), (values) => {
        const literals = values.map(([text, escapes]) => (escapes ? escaped(text) : plain(text)));
        expect(statementWithoutValues(`select ${literals.join(', ')} from item`)).not.toContain('§');
      }),
    );
  });
});
