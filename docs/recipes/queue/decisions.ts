// The second consumer: follows the events of the project and records how items ended. Needs no webhook and no open port.
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from './countersign.ts';
import { inTransaction, record } from './database.ts';

/** Reads one page. The cursor moves in the transaction that records the page: no event is lost, none counts twice. */
function readPage(): Promise<boolean> {
  return inTransaction(async (database) => {
    // Of several processes, one reads.
    const locked = `select next_cursor from feed where name = 'countersign' for update`;
    const [feed] = (await database.query<{ next_cursor: string | null }>(locked)).rows;
    const page = await client.events({ after: feed?.next_cursor ?? undefined, limit: 100 });
    // item.decided, item.expired, item.withdrawn and decision.revised alike.
    for (const event of page.data) await record(database, event);
    await database.query(`update feed set next_cursor = $1 where name = 'countersign'`, [page.next_cursor]);
    return page.has_more;
  });
}

for (;;) {
  const more = await readPage().catch((error: unknown) => {
    console.error(error);
    return false;
  });
  if (!more) await sleep(1000);
}
