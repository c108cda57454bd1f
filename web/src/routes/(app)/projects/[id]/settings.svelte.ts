// The project form with its state: typing, saving, somebody else's save in between, and a reload in the middle of it.
import { changeProject, type Project } from '@countersign/shared/api/projects';
import { ApiProblem, call } from '#lib/api.ts';
import { fieldFaults } from '#lib/explain.ts';
import {
  changedFields,
  copyField,
  draftOf,
  faultsOf,
  faultyFields,
  patchOf,
  rebase,
  type Draft,
  type FieldName,
} from './settings-form.ts';
import { forgetDraft, keepDraft, keptDraft } from './settings-kept.ts';
import { words } from './text.ts';

export class SettingsForm {
  /** As the server has it. */
  project: Project = $state.raw({} as Project); // set by the constructor; a class field with a rune needs a value here
  draft: Draft = $state({} as Draft);
  saving = $state(false);
  error: unknown = $state.raw(null);
  /** Somebody else saved while you typed: what they changed, and where both did. */
  merged: { theirs: FieldName[]; contested: FieldName[] } | null = $state.raw(null);

  readonly #key: string;
  readonly #before = $derived(draftOf(this.project));
  /** Fields that differ from what the server has. */
  readonly changes = $derived(changedFields(this.#before, this.draft));
  readonly #refused = $derived(fieldFaults(this.error));

  constructor(project: Project, userId: string) {
    this.#key = `${userId}.${project.id}`;
    this.project = project;
    const kept = keptDraft(this.#key);
    this.draft = draftOf(project);
    if (kept !== null) this.#merge(kept.before, kept.draft, project);
  }

  /** As the server has it, in the form's shape. */
  get before(): Draft {
    return this.#before;
  }

  /** What is wrong with a field, in words: typed wrongly, or refused by the server. */
  fault(field: FieldName): string | undefined {
    const fault = faultsOf(this.draft)[field];
    return fault === undefined ? this.#refused[field] : words.faults[fault](field);
  }

  /** Fields that cannot be sent as they stand, on whatever tab they are. */
  get invalid(): FieldName[] {
    return faultyFields(this.draft);
  }

  /** Takes in a newer state of the project, without touching what was typed. */
  take(project: Project): void {
    if (project.settings_version === this.project.settings_version) this.project = project;
    else if (project.settings_version > this.project.settings_version) this.#merge(this.#before, this.draft, project);
  }

  /** Saves the changed fields. A stale version loads what others changed and keeps what was typed. */
  async save(read: () => Promise<Project>): Promise<void> {
    if (this.saving || this.changes.length === 0 || this.invalid.length > 0) return;
    this.saving = true;
    this.error = null;
    try {
      const body = patchOf(this.#before, this.draft, this.project.settings_version);
      const saved = await call(changeProject, { params: { id: this.project.id }, body });
      this.project = saved;
      this.draft = draftOf(saved);
      this.merged = null;
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'stale_settings') await this.#catchUp(read, error);
      else this.error = error;
    }
    this.saving = false;
    this.keep();
  }

  discard(): void {
    this.draft = draftOf(this.project);
    this.error = null;
    this.merged = null;
    this.keep();
  }

  /** Takes the other person's value of one field instead of one's own. */
  yield(field: FieldName): void {
    copyField(this.draft, this.#before, field);
    if (this.merged)
      this.merged = { ...this.merged, contested: this.merged.contested.filter((other) => other !== field) };
  }

  /** Writes what is typed to the browser, so that a reload or another page does not lose it. */
  keep(): void {
    if (this.changes.length === 0) forgetDraft(this.#key);
    else keepDraft(this.#key, { before: this.#before, draft: this.draft });
  }

  async #catchUp(read: () => Promise<Project>, stale: unknown): Promise<void> {
    try {
      this.take(await read());
    } catch {
      this.error = stale;
    }
  }

  #merge(before: Draft, typed: Draft, project: Project): void {
    const { draft, theirs, contested } = rebase(before, typed, draftOf(project));
    this.project = project;
    this.draft = draft;
    const typing = changedFields(draftOf(project), draft).length > 0;
    if (theirs.length > 0) this.merged = typing ? { theirs, contested } : null;
  }
}
