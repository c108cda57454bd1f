// An answer that is a file, sent as it is made: refused in full before its first line, broken off visibly after it.
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Refusal } from '@countersign/shared/errors';
import type { Services } from '../../usecases/services.ts';

/** The text of a file, a chunk at a time. */
export class Download {
  readonly file: { name: string; type: string; chunks: AsyncGenerator<string> };
  readonly headers: Record<string, string>;
  constructor(file: Download['file'], headers: Download['headers']) {
    this.file = file;
    this.headers = headers;
  }
}

/** How often whoever takes it is asked for again, in milliseconds: a session that ends, ends what it takes (A4). */
const RECHECK_MS = 1000;

/** What a download asks of the server it is sent by. */
interface Sender extends Pick<Services, 'log'> {
  /** Refuses who may no longer. */
  identify: () => Promise<unknown>;
}

/**
 * Begins to send. Errors: whatever the first chunk fails with; a later failure is logged and breaks the connection, so that
 * nobody takes half a file for a whole one.
 */
export async function sendDownload(sender: Sender, ctx: Context, { file, headers }: Download): Promise<void> {
  const first = await file.chunks.next();
  const failed = (error: unknown) => note(sender, ctx, error);
  ctx.set({ ...headers, 'cache-control': 'no-store', 'content-disposition': `attachment; filename="${file.name}"` });
  ctx.body = Readable.from(withSessionChecks(first, file.chunks, { identify: sender.identify, failed }), {
    objectMode: false,
  });
  ctx.type = file.type;
}

/** The first chunk and the rest. Whoever goes away is no failure: only what the file itself or `identify` fails with is told. */
async function* withSessionChecks(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  { identify, failed }: Pick<Sender, 'identify'> & { failed: (error: unknown) => void },
): AsyncGenerator<string> {
  let checkedAt = performance.now();
  const after = async () => {
    if (performance.now() - checkedAt >= RECHECK_MS) {
      await identify();
      checkedAt = performance.now();
    }
    return rest.next();
  };
  try {
    for (let next = first; !next.done;) {
      yield next.value;
      next = await after().catch((error: unknown) => {
        failed(error);
        throw error;
      });
    }
  } finally {
    await rest.return(undefined);
  }
}

function note({ log }: Pick<Services, 'log'>, ctx: Context, error: unknown): void {
  const what = { err: error, path: ctx.path };
  if (error instanceof Refusal) log.info(what, 'download aborted');
  else log.error(what, 'download failed');
}
