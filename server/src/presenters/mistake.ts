// Presents reported mistakes in the wire format.
import type { MistakeOfItem, MistakeReport } from '@countersign/shared/schemas/mistakes';
import type { ReportView } from '../domain/items/mistake.ts';

export const presentMistake = (view: ReportView): MistakeReport => ({
  item_id: view.itemId,
  project_id: view.projectId,
  project_name: view.projectName,
  preview: view.preview,
  title: view.title,
  action: view.action,
  reason: view.reason,
  decided_by: view.decidedBy,
  decided_at: view.decidedAt.toISOString(),
  reported_by: view.reportedBy,
  reported_at: view.reportedAt.toISOString(),
  note: view.note,
  overturned: view.overturned,
  answered_by: view.answeredBy,
  answered_at: view.answeredAt?.toISOString() ?? null,
  abilities: { overturn: view.abilities.overturn, uphold: view.abilities.uphold },
});

export const presentMistakeOfItem = (of: { report: ReportView | null; mayReport: boolean }): MistakeOfItem => ({
  report: of.report && presentMistake(of.report),
  abilities: { report: of.mayReport },
});
