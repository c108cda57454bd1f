// Races this service against the review services that are installed: submit, next, decide, webhook, list.
import type { Options } from '../options.ts';
import { median, type Row } from '../rows.ts';
import { awaithumans } from './awaithumans.ts';
import type { Contender, Peer } from './contender.ts';
import { labelStudio } from './label-studio.ts';
import { ours } from './ours.ts';
import { fill, runTurn, type Sizes, timeList, type Turn } from './race.ts';
import { type PeerReceiver, startPeerReceiver } from './receiver.ts';

const PEERS: readonly Peer[] = [ours, awaithumans, labelStudio];
const FULL: Sizes = { submissions: 2000, decisions: 200, whole: 20, listed: 50_000, fillMs: 600_000 };
const QUICK: Sizes = { submissions: 64, decisions: 16, whole: 2, listed: 300, fillMs: 20_000 };
const ROUNDS = 3;
const READS = 9;

type Log = (line: string) => void;

interface Racer {
  contender: Contender;
  turns: Turn[];
  /** Items that wait, and the ms of a read of the list then. */
  listed: { count: number; ms: number };
}

/** Ours and the peers in turns; a peer that is not installed is named and skipped. */
export async function benchPeers(log: Log, { quick }: Options): Promise<Row[]> {
  const receiver = await startPeerReceiver();
  const racers: Racer[] = [];
  try {
    for (const peer of PEERS) {
      const started = await peer.start({ receiverUrl: receiver.url });
      if (typeof started === 'string') log(`peers: ${peer.name} is not measured. ${started}`);
      else racers.push({ contender: started, turns: [], listed: { count: 0, ms: NaN } });
    }
    await race(racers, { receiver, sizes: quick ? QUICK : FULL, rounds: quick ? 1 : ROUNDS, log });
    const [mine, ...others] = racers;
    return mine === undefined ? [] : others.flatMap((other) => rowsOf(mine, other));
  } finally {
    for (const { contender } of racers) await contender.close();
    receiver.close();
  }
}

async function race(
  racers: Racer[],
  { receiver, sizes, rounds, log }: { receiver: PeerReceiver; sizes: Sizes; rounds: number; log: Log },
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    for (const { contender, turns } of racers) {
      const turn = await runTurn(contender, receiver, sizes);
      turns.push(turn);
      log(`peers, round ${round} of ${rounds}: ${contender.name.padEnd(12)} ${sentenceOf(turn)}`);
    }
  }
  for (const { contender, turns, listed } of racers) {
    const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
    const waiting = rounds * (sizes.submissions - sizes.decisions) - refused;
    listed.count = waiting + (await fill(contender, { missing: sizes.listed - waiting, ms: sizes.fillMs }));
    listed.ms = await timeList(contender, READS);
    log(
      `peers: ${contender.name.padEnd(12)} first page in ${listed.ms.toFixed(1)} ms while ${listed.count} items wait`,
    );
  }
}

const sentenceOf = (turn: Turn): string =>
  [
    `${turn.submissionsPerSecond.toFixed(0)} items/s in (p50 ${turn.submitP50.toFixed(1)} ms, p99 ${turn.submitP99.toFixed(1)} ms, ${turn.refused} refused)`,
    `${turn.decisionsPerSecond.toFixed(0)} decisions/s by eight people (next ${turn.nextP50.toFixed(1)} ms)`,
    `${turn.handedTwice} handed to two people`,
    `in to webhook ${turn.wholeP50.toFixed(1)} ms`,
  ].join(', ');

/** Rates are ours to the peer's, times the peer's to ours. */
function rowsOf(mine: Racer, other: Racer): Row[] {
  const middle = (racer: Racer, of: (turn: Turn) => number) => median(racer.turns.map(of));
  const against = (measure: string, of: (turn: Turn) => number, { isRate }: { isRate: boolean }): Row => {
    const [a, b] = [middle(mine, of), middle(other, of)];
    const ratio = isRate ? a / b : b / a;
    return {
      section: 'peers',
      measure: `${measure}, against ${other.contender.name}`,
      ours: a,
      rival: b,
      ratio,
      goal: '>= 10',
    };
  };
  const list = `ms of the first page while ${mine.listed.count} (theirs: ${other.listed.count}) items wait`;
  return [
    { ...against('ms of one item: in, next, decided, webhook', ({ wholeP50 }) => wholeP50, { isRate: false }) },
    {
      ...against('items/s in, one by one', ({ submissionsPerSecond }) => submissionsPerSecond, { isRate: true }),
      goal: null,
    },
    {
      ...against('decisions/s by eight people', ({ decisionsPerSecond }) => decisionsPerSecond, { isRate: true }),
      goal: null,
    },
    {
      ...against('items handed to two people at once', ({ handedTwice }) => handedTwice, { isRate: false }),
      ratio: null,
      goal: null,
    },
    {
      ...{ section: 'peers', measure: `${list}, against ${other.contender.name}`, ours: mine.listed.ms },
      ...{ rival: other.listed.ms, ratio: other.listed.ms / mine.listed.ms, goal: null },
    },
  ];
}
