// TS3: the page, which reads JSON in its own way, judges a value as the server does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { schemasWithValues } from '@countersign/shared/json-schema/json-schema.fixture';
import { parseJson } from './lossless.ts';

function judge(schema: string, text: string) {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const [page, server] = [validate(compiled.schema, parseJson(text)), validate(compiled.schema, exactJson(text))];
  expect(page).toEqual(server);
  return page;
}

describe('TS3: page and server', () => {
  it('by property: find the same faults for any schema and any spelling of numbers', () => {
    const spellings = fc.constantFrom('', '.0', 'e0', '.50', 'e2', '0000000000000000001');
    fc.assert(
      fc.property(schemasWithValues, fc.jsonValue(), spellings, ({ schema, values }, other, spelling) => {
        for (const value of [...values, other])
          judge(
            JSON.stringify(schema),
            JSON.stringify(value).replaceAll(/(?<=[[:,])[1-9]\d*(?=[\]},])/g, `$&${spelling}`),
          );
      }),
      { numRuns: 300 },
    );
  });

  it('compare a number by its text', () => {
    expect(judge('{"const":12345678901234567890}', '12345678901234567890.0')).toEqual([]);
    expect(judge('{"const":12345678901234567890}', '12345678901234567891')).toHaveLength(1);
    expect(judge('{"type":"integer","maximum":1e399}', '1e400')).toHaveLength(1);
  });
});
