// The project form with its state: input, saving, saves by others in between, and a reload at any time.
import { changeProject } from '@countersign/shared/routes/projects';
import type { Project } from '@countersign/shared/schemas/projects';
import { Mutation } from '#lib/api/mutation.svelte.ts';
import { ApiProblem, call } from '#lib/api/client.ts';
import { fieldFaults } from '#lib/api/explain-error.ts';
import {
  changedFields,
  draftOf,
  faultsOf,
  faultyFields,
  FIELDS,
  patchOf,
  type Draft,
  type FieldName,
} from './settings-draft.ts';
import {
  answerOf,
  choose,
  conflictingFields,
  mineOf,
  rebase,
  type Answer,
  type Conflicts,
  type Typed,
} from './settings-merge.ts';
import { messages } from '../project-messages.ts';
import type { EndpointDraft } from '../webhook/endpoints/endpoint-draft.ts';
import type { NotificationDraft } from '../notifications/notification-form.ts';
import type { Tab } from '../tabs.ts';
import { AddForms, OpenForm, SecretsShown } from './open-forms.svelte.ts';
import { ReplacedTexts } from './replaced-texts.svelte.ts';
import { forgetDraft, storeDraft, storedDraft } from './stored-draft.ts';

const SCHEMA = 'answer_schema';

export class SettingsForm {
  /** The server's state. */
  project: Project = $state.raw({} as Project); // set by the constructor; a class field with a rune needs a value here
  draft: Draft = $state({} as Draft);
  saving = $state(false);
  error: unknown = $state.raw(null);
  /** Somebody else saved while you typed: the fields they changed that you had not touched. */
  autoMerged: FieldName[] | null = $state.raw(null);
  conflicts: Conflicts = $state.raw({});
  /** Stored here because the tabs are created and destroyed. */
  readonly replacedGuidelines = new ReplacedTexts();
  readonly secrets = new SecretsShown();
  readonly adding = new AddForms();
  /** The schema that was removed from the editor, to put it back; null where none was. */
  removedSchema: string | null = $state.raw(null);
  readonly #notification = new OpenForm<NotificationDraft>(({ before }) => JSON.stringify(before));
  readonly #endpoint = new OpenForm<EndpointDraft>(({ id, saved }) => (saved === null ? null : id));
  /** Its save, which a change of the tab does not end. */
  readonly endpointSaving = new Mutation();
  /** The last result, for screen readers: it outlives its button. */
  announcement = $state('');

  /** Loaded with the editor of the schema: the service checks every schema again. */
  #schemaFault: ((text: string) => string | null) | null = $state.raw(null);

  readonly #key: string;
  readonly #before = $derived(draftOf(this.project));
  readonly #schemaMessage = $derived.by(() => {
    const text = this.draft[SCHEMA];
    return text.trim() === '' ? null : (this.#schemaFault?.(text) ?? null);
  });
  /** Fields that differ from the server's state. */
  readonly changes = $derived(changedFields(this.#before, this.draft));
  /** Fields that both changed, and those of them without an answer (ST1). */
  readonly conflicting = $derived(conflictingFields(this.conflicts));
  readonly unanswered = $derived(this.conflicting.filter((field) => this.answer(field) === null));
  readonly #refused = $derived(fieldFaults(this.error));
  /** The state that arrived during a save. */
  #later: Project | null = null;

  constructor(project: Project, userId: string) {
    this.#key = `${userId}.${project.id}`;
    this.project = project;
    this.draft = draftOf(project);
    const stored = storedDraft(this.#key, draftOf(project));
    if (stored !== null) this.#merge(stored, project);
  }

  /** The server's state, in the form's shape. */
  get before(): Draft {
    return this.#before;
  }

  /** The notification that is added or edited; null where none is. */
  get notification(): NotificationDraft | null {
    return this.#notification.draft;
  }

  set notification(draft: NotificationDraft | null) {
    this.#notification.draft = draft;
  }

  /** The webhook endpoint that is added or edited; null where none is. */
  get endpoint(): EndpointDraft | null {
    return this.#endpoint.draft;
  }

  set endpoint(draft: EndpointDraft | null) {
    this.#endpoint.draft = draft;
  }

  /** Tabs with an open form whose input would be lost with the page. */
  get tabsWithUnsavedForms(): Tab[] {
    const isTyped = (tab: Tab) => this.adding.on(tab).some(({ dirty }) => dirty);
    const { manage_members: addsPeople, manage_keys: addsKeys } = this.project.abilities;
    const forms: [Tab, boolean][] = [
      ['webhook', this.#endpoint.dirty],
      ['notifications', this.#notification.dirty],
      // Who may not add any more does not see these forms.
      ['people', addsPeople === true && isTyped('people')],
      ['keys', addsKeys === true && isTyped('keys')],
    ];
    return forms.filter(([, dirty]) => dirty).map(([tab]) => tab);
  }

  /** Whether leaving the page would leave unsaved changes. */
  get dirty(): boolean {
    return this.changes.length > 0 || this.conflicting.length > 0;
  }

  get ready(): boolean {
    return this.invalid.length === 0 && this.unanswered.length === 0;
  }

  /** The error message of a field: invalid input, or refused by the server. */
  fault(field: FieldName): string | undefined {
    const fault = faultsOf(this.draft)[field];
    if (fault !== undefined) return messages.faults[fault](field);
    return (field === SCHEMA ? this.#schemaMessage : null) ?? this.#refused[field];
  }

  /** Fields that cannot be sent as they are, on any tab. */
  get invalid(): FieldName[] {
    const faulty = faultyFields(this.draft);
    return this.#schemaMessage === null ? faulty : FIELDS.filter((field) => faulty.includes(field) || field === SCHEMA);
  }

  /** From now on a schema that the service would refuse is not sent. `fault` answers null for a valid one. */
  checkSchemas(fault: (text: string) => string | null): void {
    this.#schemaFault = fault;
  }

  answer(field: FieldName): Answer | null {
    return answerOf(this.#typed, field);
  }

  /** The typed value of a conflicting field, for any answer. */
  mine(field: FieldName): Draft[FieldName] {
    return mineOf(this.#typed, field);
  }

  /** Answers the conflict of a field. */
  choose(field: FieldName, answer: Answer): void {
    const { draft, conflicts } = choose(this.#snapshot(), field, answer);
    this.draft = draft;
    this.conflicts = conflicts;
  }

  /** Applies a newer state of the project, without touching the input. */
  take(project: Project): void {
    if (this.saving) this.#later = project;
    else if (project.settings_version === this.project.settings_version) this.project = project;
    else if (project.settings_version > this.project.settings_version) this.#merge(this.#snapshot(), project);
  }

  /** Saves the changed fields. A stale version loads what others changed and retains the input. */
  async save(read: () => Promise<Project>): Promise<void> {
    if (this.saving || this.changes.length === 0 || !this.ready) return;
    this.saving = true;
    this.error = null;
    let newer: Project | null = null;
    const sent = this.#snapshot();
    try {
      const body = patchOf(sent.before, sent.draft, this.project.settings_version);
      this.#saved(sent.draft, await call(changeProject, { params: { id: this.project.id }, body }));
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'stale_settings') newer = await this.#catchUp(read, error);
      else this.error = error;
    }
    this.saving = false;
    for (const project of [newer, this.#later]) if (project !== null) this.take(project);
    this.#later = null;
    this.persist();
  }

  /** Discards all unsaved changes, including the conflicts. */
  discard(): void {
    this.draft = draftOf(this.project);
    this.error = null;
    this.autoMerged = null;
    this.conflicts = {};
    this.replacedGuidelines.forget();
    this.removedSchema = null;
    this.persist();
  }

  /** Discards everything: a former member has nothing to return to. */
  reset(): void {
    this.discard();
    this.secrets.dismiss();
    this.adding.reset();
    this.endpoint = this.notification = null;
  }

  /** Writes the draft to the browser, so that a reload or another page does not lose it. */
  persist(): void {
    if (this.dirty) storeDraft(this.#key, this.#snapshot());
    else forgetDraft(this.#key);
  }

  get #typed(): Typed {
    return { before: this.#before, draft: this.draft, conflicts: this.conflicts };
  }

  #snapshot(): Typed {
    return { before: this.#before, draft: $state.snapshot(this.draft), conflicts: this.conflicts };
  }

  /** Input during the save is retained. */
  #saved(sent: Draft, project: Project): void {
    const now = draftOf(project);
    const since = changedFields(sent, this.draft).map((field) => [field, this.draft[field]] as const);
    this.project = project;
    this.draft = { ...now, ...Object.fromEntries(since) };
    this.autoMerged = null;
    this.conflicts = {};
    this.replacedGuidelines.forget();
  }

  async #catchUp(read: () => Promise<Project>, stale: unknown): Promise<Project | null> {
    try {
      return await read();
    } catch {
      this.error = stale;
      return null;
    }
  }

  #merge(typed: Typed, project: Project): void {
    const { draft, conflicts, autoMerged } = rebase(typed, draftOf(project));
    this.project = project;
    this.draft = draft;
    this.conflicts = conflicts;
    if (autoMerged.length === 0 && this.conflicting.length === 0) return;
    const known = this.autoMerged ?? [];
    this.autoMerged = this.dirty ? [...known, ...autoMerged.filter((field) => !known.includes(field))] : null;
  }
}
