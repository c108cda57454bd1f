// Tests that the columns which prepared statements name are those of the table.
import { expect, it } from 'vitest';
import { itemColumns } from '../../../src/db/entities/item.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

it('names every column of an item', async () => {
  const rows = await testEnv.sql<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = 'item'",
  );
  const columns = rows.map(({ name }) => `i.${name}`);
  expect(itemColumns('i').split(', ').sort()).toEqual(columns.sort());
});
