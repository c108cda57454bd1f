// Checks I1, I3, I4 and I6: every item against its replayed events, and against its decisions.
import type { DecisionAction, DecisionStatus, ItemStatus } from '@countersign/shared/enums';
import { rawQuery } from '../db/raw-query.ts';
import { type ChainLink, chainFaults } from '../domain/items/decision-chain.ts';
import {
  type ItemEvent,
  type ItemState,
  type LoggedDecision,
  replayItem,
  sequenceFault,
} from '../domain/items/replay-item.ts';
import { eventTypeOf } from '../domain/stored-names.ts';
import { byPages, type Check, type Fault } from './check.ts';

const PAGE = 500;

const ITEMS = `
  select i.id, i.project_id, i.status, i.version, i.audit, i.claim_fence, i.claimed_by,
    i.claim_expires_at is not null as live, i.expired_at is not null as expired, f.events, d.decisions
  from item i join project p on p.id = i.project_id and p.deleted_at is null
  cross join lateral (
    select json_agg(json_build_object('type', e.type, 'seq', e.seq, 'actorId', e.actor ->> 'id', 'version', (e.data ->> 'version')::int,
      'status', coalesce(e.data ->> 'status', e.data -> 'item' ->> 'status'), 'action', e.data ->> 'action',
      'at', (extract(epoch from e.created_at) * 1000)::bigint,
      'expiresAt', (extract(epoch from (e.data ->> 'expires_at')::timestamptz) * 1000)::bigint,
      'takesOver', e.data -> 'taken_from' is not null, 'revision', (e.data ->> 'revision')::int,
      'byDeadline', e.data -> 'by_deadline' is not null) order by e.position) as events
    from event e where e.item_id = i.id and e.type <> 'delivery.changed' offset 0
  ) f cross join lateral (
    select coalesce(json_agg(json_build_object('id', id, 'audit', audit, 'revision', revision, 'revises', revises,
      'superseded', superseded_at is not null, 'final', final_at is not null, 'action', action, 'status', status)), '[]') as decisions
    from decision d where d.item_id = i.id offset 0
  ) d
  where i.id > $1 order by i.id limit ${PAGE}`;

interface Row {
  id: string;
  project_id: string;
  status: ItemStatus;
  version: number;
  audit: boolean;
  claim_fence: number;
  claimed_by: string | null;
  live: boolean;
  expired: boolean;
  events: ItemEvent[] | null;
  decisions: StoredDecision[];
}

type StoredDecision = ChainLink & { final: boolean; action: DecisionAction; status: DecisionStatus };

export const checkItems: Check = {
  of: 'items',
  rules: ['I1', 'I3', 'I4', 'I6'],
  run: (read, report, onProgress) =>
    byPages(
      (after) => read((em) => rawQuery<Row>(em, ITEMS, [after])),
      (row) => faultsOf(row).forEach(report),
      onProgress,
    ),
};

function faultsOf(row: Row): Fault[] {
  const events = (row.events ?? []).map((event) => ({ ...event, type: eventTypeOf(event.type) }));
  const replayed = replayItem(events, row);
  const place = `item ${row.id} of project ${row.project_id}`;
  const unordered = sequenceFault(events);
  const found: [rule: string, says: string][] = [
    ...(unordered === null ? [] : [['I6', unordered] as [string, string]]),
    ...('fault' in replayed ? [['I6', replayed.fault] as [string, string]] : differences(row, replayed)),
  ];
  return found.map(([rule, says]) => ({ rule, says: `${place}: ${says}` }));
}

function differences(row: Row, replayed: ItemState): [rule: string, says: string][] {
  const stored = (of: (decision: StoredDecision) => boolean) => row.decisions.filter(of).length;
  const logged = (of: (decision: LoggedDecision) => boolean) => replayed.decisions.filter(of).length;
  const claim = claimOf(row);
  const provisional = replayed.decided === 'provisional' ? 1 : 0;
  const compared: [string, string, unknown, unknown][] = [
    ['I6', 'its status', row.status, replayed.status],
    ['I6', 'its version', row.version, replayed.version],
    ['I6', 'whether its deadline ended it', row.expired, replayed.expired],
    ['I3', 'its fence', row.claim_fence, replayed.claims],
    // When a member leaves the pool, an expired claim ends without an event.
    ['I4', 'its claim', claim, replayed.claim === 'expired' && claim === 'none' ? 'none' : replayed.claim],
    ['I4', 'its holder', row.claimed_by, claim === 'none' ? null : replayed.holder],
    ['I1', 'the number of its decisions', stored(({ audit }) => !audit), logged(({ audit }) => !audit)],
    ['I1', 'the number of verdicts on it', stored(({ audit }) => audit), logged(({ audit }) => audit)],
    ['I1', 'the number of those that can be undone', stored(({ final }) => !final), provisional],
    ...contentsOf(row.decisions, replayed.decisions),
  ];
  const differing = compared.flatMap(([rule, what, is, eventLog]): [string, string][] =>
    is === eventLog ? [] : [[rule, `${what} is ${String(is)}, in the event log ${String(eventLog)}`]],
  );
  return [...differing, ...chainFaults(row.decisions).map((says): [string, string] => ['I1', says])];
}

const claimOf = ({ claimed_by: holder, live }: Row): ItemState['claim'] =>
  holder === null ? 'none' : live ? 'live' : 'expired';

/** What each decision of the event log says, stored and there; one that is not stored is missing in the numbers. */
function contentsOf(
  stored: readonly StoredDecision[],
  logged: readonly LoggedDecision[],
): [rule: string, what: string, stored: string, logged: string][] {
  return logged.flatMap((decision) => {
    const { audit, revision } = decision;
    const row = stored.find((one) => one.audit === audit && one.revision === revision);
    const what = audit ? 'its verdict' : `revision ${revision} of its decision`;
    return row === undefined ? [] : [['I6', what, contentOf(row), contentOf(decision)]];
  });
}

const contentOf = ({ action, status }: LoggedDecision): string => `${action}, ${status}`;
