// Manual corruptions of a database, each with the violation that `npm run invariants` must report, and what reverts it.

/** The objects that are damaged, one of each kind that the checks read. */
export type Damaged = 'project' | 'approved' | 'held' | 'call' | 'expired' | 'audited';

/** A manual change, its message, and what reverts it; `of` has the id that each of the statements concerns. */
interface Damage {
  rule: string;
  what: string;
  says: RegExp;
  of: Damaged;
  change: string | string[];
  back: string | string[];
}

/** A damage to the decision on the tool call, undone by writing the column again. */
const ofCall = (rule: string, what: string, change: string, back: string): Damage => ({
  ...{ rule, what, says: /^decision .*: / },
  ...{ of: 'call', change: `update ${change}`, back: `update ${back}` },
});

/** A damage to the state of the only delivery of the approved item, which waits for its first attempt. */
const ofDelivery = (what: string, columns: string): Damage => ({
  ...{ rule: 'I5', what, says: /^delivery .*: it is / },
  ...{ of: 'approved', change: `update delivery set ${columns} where item_id = ?` },
  back: `update delivery set status = 'pending', attempt = 0, next_attempt_at = created_at, lease_until = null, completed_at = null where item_id = ?`,
});

/** Its delivery is gone, and a change of the project came later, with this line in its change log. */
const hiddenBy = (what: string, part: string, action: string): Damage => ({
  ...{ rule: 'I5', what: `a delivery is gone, and ${what} since`, says: /has no delivery/, of: 'approved' },
  change: [
    'update delivery set seq = -seq where item_id = ?',
    `insert into project_change (id, project_id, action, before, after, changed_by_name, changed_at)
      select gen_random_uuid(), project_id, '${action}', '{"guidelines":""}', '{"guidelines":"Be quick."}', 'by-hand', now() from item where id = ?`,
    `insert into event (id, project_id, type, actor, data, created_at, seq)
      select gen_random_uuid(), project_id, 'project.changed', '{"name":"by-hand"}', '{"changed":["${part}"]}', now(), p.event_seq + 1
      from item i join project p on p.id = i.project_id where i.id = ?`,
    'update project set event_seq = event_seq + 1 where id = (select project_id from item where id = ?)',
  ],
  back: [
    'update delivery set seq = -seq where item_id = ?',
    `delete from project_change where changed_by_name = 'by-hand' and project_id = (select project_id from item where id = ?)`,
    `delete from event where actor ->> 'name' = 'by-hand' and project_id = (select project_id from item where id = ?)`,
    'update project set event_seq = event_seq - 1 where id = (select project_id from item where id = ?)',
  ],
});

/**
 * Swaps the sequence numbers of the first two events of the item; twice leaves everything as it was. The first statement takes both
 * out of the way of the unique index.
 */
const SWAPPED = [
  `update event set seq = -seq where item_id = ? and type in ('item.queued', 'item.claimed')`,
  `update event e set seq = case when e.seq = -t.seqs[1] then t.seqs[2] else t.seqs[1] end
    from (select item_id, array_agg(-seq) as seqs from event where seq < 0 group by item_id) t
    where e.item_id = t.item_id and e.item_id = ? and e.seq < 0`,
];

export const DAMAGES: readonly Damage[] = [
  {
    rule: 'I1',
    what: 'a decision is gone',
    says: /number of its decisions/,
    of: 'approved',
    change: `update decision set audit = true where item_id = ?`,
    back: `update decision set audit = false where item_id = ?`,
  },
  {
    rule: 'I1',
    what: 'a final decision can be undone again',
    says: /can be undone is 1/,
    of: 'approved',
    change: `update decision set final_at = null where item_id = ?`,
    back: `update decision set final_at = decided_at where item_id = ?`,
  },
  {
    rule: 'I1',
    what: 'a decision is replaced by none',
    says: /revision 1 of its decision is replaced/,
    of: 'approved',
    change: `update decision set superseded_at = now() where item_id = ?`,
    back: `update decision set superseded_at = null where item_id = ?`,
  },
  {
    rule: 'I2',
    what: 'an idempotency key points to an item that does not exist',
    says: /key by-hand/,
    of: 'project',
    change: `insert into idempotency_key (project_id, operation, key, item_ids, created_at) values (?, 'submit', 'by-hand', array[gen_random_uuid()], now())`,
    back: `delete from idempotency_key where project_id = ? and key = 'by-hand'`,
  },
  {
    rule: 'I2',
    what: 'an idempotency key has no item',
    says: /key by-hand .*: it names no item/,
    of: 'project',
    change: `insert into idempotency_key (project_id, operation, key, item_ids, created_at) values (?, 'submit', 'by-hand', '{}', now())`,
    back: `delete from idempotency_key where project_id = ? and key = 'by-hand'`,
  },
  {
    rule: 'I3',
    what: 'a fence fell',
    says: /its fence is 1, in the event log 2/,
    of: 'held',
    change: `update item set claim_fence = claim_fence - 1 where id = ?`,
    back: `update item set claim_fence = claim_fence + 1 where id = ?`,
  },
  {
    rule: 'I4',
    what: 'a claim without a claim event',
    says: /its claim is expired/,
    of: 'held',
    change: `update item set claim_expires_at = null where id = ?`,
    back: `update item set claim_expires_at = now() + interval '1 minute' where id = ?`,
  },
  {
    rule: 'I4',
    what: 'a claim belongs to another member than in the event log',
    says: /its holder is .*, in the event log /,
    of: 'held',
    change: `update item set claimed_by = (select user_id from member m where m.project_id = item.project_id and m.user_id <> item.claimed_by limit 1) where id = ?`,
    back: `update item set claimed_by = (select (actor ->> 'id')::uuid from event where item_id = item.id and type = 'item.claimed' order by position desc limit 1) where id = ?`,
  },
  {
    rule: 'I5',
    what: 'a delivery has no decision',
    says: /belongs to no end of an item/,
    of: 'approved',
    change: `update delivery set webhook_id = webhook_id || 'x' where item_id = ?`,
    back: `update delivery set webhook_id = rtrim(webhook_id, 'x') where item_id = ?`,
  },
  {
    rule: 'I5',
    what: 'a final decision has no delivery',
    says: /has no delivery/,
    of: 'approved',
    change: `update delivery set seq = -seq where item_id = ?`,
    back: `update delivery set seq = -seq where item_id = ?`,
  },
  hiddenBy('the guidelines were changed', 'settings', 'settings.changed'),
  hiddenBy('deliveries were sent again', 'webhook', 'webhook.resent'),
  hiddenBy('the project was archived', 'archived', 'project.archived'),
  ofDelivery('a delivery waits and is never due', 'next_attempt_at = null'),
  ofDelivery('a delivery is being sent without a lease', `status = 'sending', attempt = 1`),
  ofDelivery(
    'a delivery is being sent, and is never due after its lease',
    `status = 'sending', attempt = 1, lease_until = now(), next_attempt_at = null`,
  ),
  ofDelivery('a delivery arrived without an attempt', `status = 'succeeded', completed_at = now()`),
  ofDelivery('a delivery arrived at no time', `status = 'succeeded', attempt = 1`),
  ofDelivery('a delivery is dead without an attempt', `status = 'dead', completed_at = now()`),
  ofDelivery('a delivery was cancelled at no time', `status = 'cancelled'`),
  {
    rule: 'I6',
    what: 'a decision says another action than the event log',
    says: /revision 1 of its decision is reject, rejected, in the event log approve, approved/,
    of: 'approved',
    change: `update decision set action = 'reject', status = 'rejected' where item_id = ?`,
    back: `update decision set action = 'approve', status = 'approved' where item_id = ?`,
  },
  {
    rule: 'I6',
    what: 'a verdict says another action than the event log',
    says: /its verdict is reject, rejected, in the event log approve, approved/,
    of: 'audited',
    change: `update decision set action = 'reject', status = 'rejected' where item_id = ? and audit`,
    back: `update decision set action = 'approve', status = 'approved' where item_id = ? and audit`,
  },
  {
    rule: 'I6',
    what: 'an automatic approval was stored as a rejection',
    says: /revision 1 of its decision is reject, rejected, in the event log auto_approve, approved/,
    of: 'audited',
    change: `update decision set action = 'reject', status = 'rejected' where item_id = ? and not audit`,
    back: `update decision set action = 'auto_approve', status = 'approved' where item_id = ? and not audit`,
  },
  {
    rule: 'I6',
    what: 'two events of an item have each other’s sequence numbers',
    says: /item\.claimed \(version 2\) has sequence number \d+, after \d+/,
    of: 'approved',
    change: SWAPPED,
    back: SWAPPED,
  },
  {
    rule: 'I6',
    what: 'an event has a sequence number and an earlier one of its item has none',
    says: /item\.claimed \(version 2\) has sequence number \d+, after none/,
    of: 'approved',
    change: `update event set seq = null where item_id = ? and type = 'item.queued'`,
    back: `update event e set seq = (select n from generate_series(1, (select event_seq from project p where p.id = e.project_id)) n
      where not exists (select from event x where x.project_id = e.project_id and x.seq = n)) where item_id = ? and type = 'item.queued'`,
  },
  {
    rule: 'I6',
    what: 'an item changed without an event',
    says: /its status is rejected, in the event log approved/,
    of: 'approved',
    change: `update item set status = 'rejected' where id = ?`,
    back: `update item set status = 'approved' where id = ?`,
  },
  {
    rule: 'I6',
    what: 'an item that expired says that its deadline did not end it',
    says: /whether its deadline ended it is false, in the event log true/,
    of: 'expired',
    change: `update item set expired_at = null where id = ?`,
    back: `update item set expired_at = decided_at where id = ?`,
  },
  {
    rule: 'I6',
    what: 'an item that expired was told twice',
    says: /item\.expired \(version 4\) does not follow on an item that is expired/,
    of: 'expired',
    change: `insert into event (id, project_id, item_id, type, actor, data, created_at)
      select gen_random_uuid(), project_id, item_id, type, actor, data, created_at from event where item_id = ? and type = 'item.expired'`,
    back: `delete from event where item_id = ? and type = 'item.expired' and seq is null`,
  },
  {
    rule: 'I6',
    what: 'an item was decided after it expired',
    says: /item\.decided \(version 5\) does not follow on an item that is expired/,
    of: 'expired',
    change: `insert into event (id, project_id, item_id, type, actor, data, created_at)
      select gen_random_uuid(), project_id, item_id, 'item.decided', actor, '{"version":5,"status":"approved","action":"approve"}', created_at
      from event where item_id = ? and type = 'item.expired'`,
    back: `delete from event where item_id = ? and type = 'item.decided'`,
  },
  {
    rule: 'I5',
    what: 'an item that expired has no delivery',
    says: /its end has no delivery/,
    of: 'expired',
    change: `update delivery set seq = -seq where item_id = ?`,
    back: `update delivery set seq = -seq where item_id = ?`,
  },
  {
    rule: 'I7',
    what: 'a delivery says that an item that expired was rejected',
    says: /its body is not/,
    of: 'expired',
    change: `update delivery set body = replace(body, '"expired"', '"rejected"') where item_id = ?`,
    back: `update delivery set body = replace(body, '"rejected"', '"expired"') where item_id = ?`,
  },
  {
    rule: 'I6',
    what: 'an event is missing',
    says: /item\.decided \(version 3\) does not follow on an item that is queued, none, undecided/,
    of: 'approved',
    change: `update event set item_id = null where item_id = ? and type = 'item.claimed'`,
    back: `update event set item_id = ? where item_id is null and type = 'item.claimed'`,
  },
  {
    rule: 'I6',
    what: 'an event log has a gap',
    says: /its event log ends at/,
    of: 'project',
    change: `update project set event_seq = event_seq + 1 where id = ?`,
    back: `update project set event_seq = event_seq - 1 where id = ?`,
  },
  {
    rule: 'I7',
    what: 'the bytes of a delivery are not the decision',
    says: /its body is not/,
    of: 'approved',
    change: `update delivery set body = body || ' ' where item_id = ?`,
    back: `update delivery set body = rtrim(body) where item_id = ?`,
  },
  ofCall(
    'TS2',
    'an output breaks its schema',
    `decision set output = '{"name":"refund","arguments":{}}' where item_id = ?`,
    `decision set output = '{"name":"refund","arguments":{"amount":1}}' where item_id = ?`,
  ),
  ofCall(
    'TS5',
    'a suggestion that is null was approved',
    'item set has_suggestion = false where id = ?',
    'item set has_suggestion = true where id = ?',
  ),
  ofCall(
    'TC2',
    'the tool of a call was changed',
    `decision set output = replace(output, 'refund', 'delete') where item_id = ?`,
    `decision set output = replace(output, 'delete', 'refund') where item_id = ?`,
  ),
  ofCall(
    'LC7',
    'an action is not allowed',
    `item set allowed_actions = array['edit'] where id = ?`,
    'item set allowed_actions = null where id = ?',
  ),
  ofCall(
    'LC8',
    'an approval has words',
    `decision set response = 'No.' where item_id = ?`,
    'decision set response = null where item_id = ?',
  ),
  {
    rule: 'I9',
    what: 'the rollups are ahead of the event log',
    says: /its rollups have counted up to \d+, and its event log ends at \d+/,
    of: 'project',
    change: `update project set rollup_seq = event_seq + 5 where id = ?`,
    back: `update project set rollup_seq = event_seq where id = ?`,
  },
  {
    rule: 'I9',
    what: 'a figure differs from the count',
    says: /stored/,
    of: 'project',
    change: `update rollup set n = n + 1 where project_id = ?`,
    back: `update rollup set n = n - 1 where project_id = ?`,
  },
];
