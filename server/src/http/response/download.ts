// Streams a file as a response: refused before its first line, visibly broken off after it.
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Refusal } from '@countersign/shared/errors';
import type { Services } from '../../usecases/services.ts';

export interface DownloadFile {
  name: string;
  type: string;
  chunks: AsyncGenerator<string | Uint8Array>;
  /** 200 by default; 206 for a part. */
  status?: number;
  /** Shown in the page, not saved. */
  inline?: boolean;
}

/** The content of a file, chunk by chunk; the headers may say for how long it is cached. */
export class Download {
  readonly file: DownloadFile;
  readonly headers: Record<string, string>;
  constructor(file: Download['file'], headers: Download['headers']) {
    this.file = file;
    this.headers = headers;
  }
}

/** How often the session is checked again, in milliseconds: when a session ends, its downloads end (A4). */
const RECHECK_MS = 1000;

/** Of one event of a response; Node warns of a leak above 10. */
const MOST_LISTENERS = 16;

/** The parts of the server that a download needs. */
interface Sender extends Pick<Services, 'log'> {
  /** Refuses a caller who no longer has access. */
  identify: () => Promise<unknown>;
}

/**
 * Starts sending. Errors: those of the first chunk; a later failure is logged and breaks the connection, so that a
 * partial file is not mistaken for a complete one.
 */
export async function sendDownload(sender: Sender, ctx: Context, { file, headers }: Download): Promise<void> {
  const first = await file.chunks.next();
  const failed = (error: unknown) => note(sender, ctx, error);
  const disposition = `${file.inline ? 'inline' : 'attachment'}; filename="${file.name}"`;
  ctx.set({ 'cache-control': 'no-store', 'content-disposition': disposition, ...headers });
  ctx.status = file.status ?? 200;
  // Ours, Koa's and those of its pipeline: a fixed number for each response, at most one of them waiting in a queue.
  ctx.res.setMaxListeners(MOST_LISTENERS);
  ctx.body = Readable.from(withSessionChecks(first, file.chunks, { identify: sender.identify, failed }), {
    objectMode: false,
  });
  ctx.type = file.type;
}

/**
 * The first chunk and the rest. A client that disconnects is not a failure: only errors of the file itself or of
 * `identify` are reported.
 */
async function* withSessionChecks(
  first: IteratorResult<string | Uint8Array>,
  rest: DownloadFile['chunks'],
  { identify, failed }: Pick<Sender, 'identify'> & { failed: (error: unknown) => void },
): DownloadFile['chunks'] {
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
