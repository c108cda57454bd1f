// Runs a process of the service: tied to its parent, and observed until it is ready.
import type { ChildProcess } from 'node:child_process';

/** For `--import`: the child ends when its parent does, however that ended. It needs an `ipc` channel between them. */
export const EXIT_WITH_PARENT = `data:text/javascript,process.on('disconnect',()=>process.exit(1))`;

/** How much of its output goes into an error, in UTF-16 units. */
const MAX_OUTPUT_CHARS = 20_000;

/**
 * Forwards every line that it writes. Resolves with its port when it is ready, or null for one without the role `web`. Throws its
 * output when it ended, or reported neither `within` so many ms.
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
