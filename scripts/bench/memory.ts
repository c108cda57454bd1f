// Measures the memory of a process tree as Linux accounts it, with shared pages counted once.
import { readdirSync, readFileSync } from 'node:fs';

/** MiB (PSS) of all descendants of `root`, without itself. NaN where the system does not report it. */
export function memoryBelow(root: number): number {
  if (process.platform !== 'linux') return NaN;
  const parents = parentsOfAll();
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  const pids = [...parents.keys()].filter(isBelow);
  return pids.reduce((sum, pid) => sum + shareOf(pid), 0) / 1024;
}

/** Measures every `everyMs` until stopped; stopping returns the maximum. */
export function watchPeak(root: number, everyMs = 50): () => number {
  let peak = memoryBelow(root);
  const timer = setInterval(() => (peak = Math.max(peak, memoryBelow(root))), everyMs);
  return () => {
    clearInterval(timer);
    return Math.max(peak, memoryBelow(root));
  };
}

function parentsOfAll(): Map<number, number> {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return new Map(pids.map((pid) => [pid, parentOf(pid)]));
}

/** The field after the state; the name before them may hold anything. */
function parentOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** KiB. A process that has just ended has none. */
const shareOf = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
