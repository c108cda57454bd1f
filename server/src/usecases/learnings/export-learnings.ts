// Exports learnings as JSONL (rule LX): the same filter and cut-off always give the same bytes.
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import { hashToUnit } from '../../crypto/hash-to-unit.ts';
import { LearningExport } from '../../db/entities/learning-export.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { hasLineForEach, isOfSplit, lineOf, splitText } from '../../domain/learnings/export-lines.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import { countExported, readExportBatch, positionOf, type Span } from './export-rows.ts';
import { spanOf } from './export-span.ts';
import type { MemberActor, Services } from '../services.ts';
import { createYielder } from '../yield-to-event-loop.ts';

export interface ExportInput {
  projectId: string;
  filter: ExportFilter;
  /** How many whole lines the client has already. */
  skip: number;
}

export interface Export {
  id: string;
  through: number;
  /** JSONL in batches of lines, each with its line end. Fails when the permission is removed meanwhile. */
  lines: AsyncGenerator<string>;
}

/** A member, or the operator on the command line. */
export type Exporter = MemberActor | 'operator';

/**
 * Starts an export and records it (LX4). Errors: `not_found`, `forbidden`,
 * `validation_failed` where its cluster was changed (LX6).
 */
export async function exportLearnings(services: Services, who: Exporter, input: ExportInput): Promise<Export> {
  const { projectId, skip } = input;
  const id = services.ids.uuid();
  const span = await services.db.write(async ({ em }) => {
    await refuseStranger(em, who, projectId);
    const whole = await spanOf(em, projectId, input.filter);
    const filter = { ...input.filter, through: whole.through };
    const createdAt = services.clock.now();
    const exportedBy = who === 'operator' ? null : who.userId;
    await em.insert(LearningExport, { id, projectId, exportedBy, filter, lines: null, createdAt });
    return whole;
  });
  return { id, through: span.through, lines: linesOf(services, who, { id, whole: span, skip }) };
}

async function refuseStranger(em: Em, who: Exporter, projectId: string): Promise<void> {
  if (who !== 'operator') return void (await requirePermission(em, { userId: who.userId, projectId }, 'see_learnings'));
  if ((await em.count(Project, { id: projectId, deletedAt: null })) === 0) throw notFound();
}

async function* linesOf(
  services: Services,
  who: Exporter,
  { id, whole, skip }: { id: string; whole: Span; skip: number },
): AsyncGenerator<string> {
  const { projectId, filter, through } = whole;
  let [after, count] = [0, 0];
  // Lines that the client has are not read again, when their position can be computed.
  if (skip > 0 && hasLineForEach(filter)) {
    after = await services.db.read((em) => positionOf(em, whole, skip));
    count = after < through ? skip : await services.db.read((em) => countExported(em, whole));
  }
  while (after < through) {
    const { lines, at } = await services.db.read(async (em) => {
      await refuseStranger(em, who, projectId);
      return nextExportLines(em, { ...whole, after });
    });
    const wanted = lines.slice(Math.max(0, skip - count));
    count += lines.length;
    after = at;
    if (wanted.length > 0) yield `${wanted.join('\n')}\n`;
  }
  await services.db.statement((em) => em.execute('update learning_export set lines = ? where id = ?', [count, id]));
}

/** LX3: without a split every learning is. */
const isWanted = (filter: Span['filter'], input: string): boolean =>
  filter.split === undefined || isOfSplit(filter, hashToUnit(splitText(input)));

/** The lines of the next batch, the number of learnings behind them, and the start of the batch after it. */
export async function nextExportLines(em: Em, span: Span): Promise<{ lines: string[]; at: number; examined: number }> {
  const { learnings, at } = await readExportBatch(em, span);
  const lines: string[] = [];
  const yieldToEventLoop = createYielder();
  for (const learning of learnings) {
    const line = isWanted(span.filter, learning.input) ? lineOf(span.filter.format, learning) : null;
    if (line !== null) lines.push(line);
    await yieldToEventLoop();
  }
  return { lines, at, examined: learnings.length };
}
