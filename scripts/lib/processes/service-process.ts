// A process of the service, from outside: tied to the one that starts it, and listened to until it is ready.
import type { ChildProcess } from 'node:child_process';

/** For `--import`: the child ends when its parent does, however that ended. It needs a channel (`ipc`) between them. */
export const EXIT_WITH_PARENT = `data:text/javascript,process.on('disconnect',()=>process.exit(1))`;

/** How much of what it says goes with an error, in UTF-16 units. */
const MAX_OUTPUT_CHARS = 20_000;

/**
 * Passes on every line that it writes, for as long as it lives. Resolves with the port that it is ready on, or null of one without
 * the role `web`, when it works. Errors: it ended, or said neither `within` so many ms; with what it said.
 */
export async function whenReady(
  child: ChildProcess,
  { within, onLine = () => undefined }: { within: number; onLine?: (line: string) => void },
): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  let output = '';
  const onText = (line: string) => {
    onLine(line);
    if (output.length < MAX_OUTPUT_CHARS) output += `${line}\n`;
    const port = /"port":(\d+).*"msg":"ready"/.exec(line)?.[1];
    if (port !== undefined) resolve(Number(port));
    if (line.endsWith('"msg":"working"}')) resolve(null);
  };
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) eachLine(stream, onText);
  const timer = setTimeout(() => reject(new Error(`The server did not say that it is ready:\n${output}`)), within);
  child.once('error', reject);
  child.once('close', (code, signal) => reject(new Error(`The server ended with ${code ?? signal}:\n${output}`)));
  return promise.finally(() => clearTimeout(timer));
}

function eachLine(stream: NodeJS.ReadableStream, onText: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onText);
  });
}
