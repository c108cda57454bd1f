// The editor of a project's webhook endpoints: adds, changes and removes one at a time, the first one included (WH12).
import { call } from '#lib/api/client.ts';
import type { Mutation } from '#lib/api/mutation.svelte.ts';
import type { Resource } from '#lib/api/resource.svelte.ts';
import { focusIfLost } from '#lib/shell/focus.ts';
import { readProject } from '@countersign/shared/routes/projects';
import { changeEndpoint, createEndpoint, removeEndpoint } from '@countersign/shared/routes/webhook';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import type { SettingsForm } from '../../settings/settings.svelte.ts';
import {
  changesOf,
  draftOf,
  type EndpointBody,
  type EndpointDraft,
  fieldsOf,
  firstDraft,
  isSame,
  newDraft,
  rebase,
} from './endpoint-draft.ts';
import { endpointMessages as messages } from './endpoint-messages.ts';

/** What is typed is in the project's form, which outlives the tab. */
export class EndpointEditor {
  /** While it is pending, no other endpoint is begun: the answer would be taken for that one. */
  readonly saving: Mutation;
  /** What somebody else did to the URL that would be saved, and what to do about it (ST1). */
  conflict: string | null = $state.raw(null);
  /** The endpoint whose removal has to be confirmed. */
  target: WebhookEndpoint | null = $state.raw(null);
  confirming = $state(false);
  readonly #form: SettingsForm;
  readonly #list: Resource<WebhookEndpoint[]>;
  /** The endpoint that was added last, until its secret is dismissed: it may not be in the list yet. */
  #added: string | null = $state.raw(null);

  constructor(form: SettingsForm, list: Resource<WebhookEndpoint[]>) {
    this.#form = form;
    this.saving = form.endpointSaving;
    this.#list = list;
  }

  /** The listed endpoints. */
  get rows(): readonly WebhookEndpoint[] {
    return this.#list.data ?? [];
  }

  /** The URL that is saved for what is edited; null for a new endpoint. */
  get savedUrl(): string | null {
    const draft = this.#form.endpoint;
    if (draft === null || draft.saved === null) return null;
    return this.rows.find(({ id }) => id === draft.id)?.url ?? null;
  }

  /** The secret of a new endpoint; those of listed ones are shown with them. */
  get newSecret(): string | null {
    const shown = this.#form.secrets.endpoint;
    const isNew = shown?.id === this.#added || !this.rows.some(({ id }) => id === shown?.id);
    return shown !== null && isNew ? shown.secret : null;
  }

  /** Opens the form of this endpoint, or of a new one for null. */
  begin(endpoint: WebhookEndpoint | null): void {
    if (this.saving.pending) return;
    this.saving.forget();
    this.conflict = null;
    this.#form.endpoint = endpoint === null ? this.#newDraft() : draftOf(endpoint);
  }

  /** Closes the form. */
  cancel(): void {
    if (this.saving.pending) return;
    this.#form.endpoint = null;
    void focusIfLost('endpoints');
  }

  /** Saves what is typed, and closes the form unless more was typed meanwhile. */
  async save(): Promise<void> {
    this.#form.said = '';
    this.conflict = null;
    await this.saving.run(async () => {
      const version = await this.#catchUp();
      const draft = this.#form.endpoint;
      if (draft === null || this.conflict !== null) return;
      const fields = fieldsOf(draft);
      const id = draft.id === null ? await this.#add(fields) : await this.#change(draft.id, { draft, version });
      this.#close(id, fields);
      this.#form.said = messages.saved;
      await this.#list.load();
      await focusIfLost('endpoints');
    });
  }

  /** Hides the secret of the new endpoint. */
  dismissSecret(): void {
    this.#form.secrets.endpoint = null;
    this.#added = null;
    void focusIfLost('endpoints');
  }

  /** Asks whether to remove an endpoint. */
  ask(endpoint: WebhookEndpoint): void {
    this.target = endpoint;
    this.confirming = true;
  }

  /** Removes the endpoint that was asked about. Throws what `call` throws. */
  async remove(): Promise<void> {
    if (this.target === null) return;
    const { id, is_default: isFirst } = this.target;
    await call(removeEndpoint, { params: { id: this.#projectId, endpoint_id: id } });
    if (this.#form.secrets.endpoint?.id === id) this.#form.secrets.endpoint = null;
    if (this.#form.endpoint?.id === id) this.#form.endpoint = null;
    if (isFirst) this.#noteFirst('');
  }

  /** Shows the list without the endpoint that was removed. */
  async removed(): Promise<void> {
    this.#form.said = messages.removed;
    await this.#list.load();
    await focusIfLost('endpoints');
  }

  get #projectId(): string {
    return this.#form.project.id;
  }

  #newDraft(): EndpointDraft {
    return this.rows.some(({ is_default }) => is_default) ? newDraft() : firstDraft(this.#projectId);
  }

  /** Reads what is saved now. The URL of the first endpoint is a setting: returns the version that its change is based on (ST1). */
  async #catchUp(): Promise<number | undefined> {
    if (this.#form.endpoint?.isFirst !== true) {
      await this.#list.load();
      return undefined;
    }
    const project = await call(readProject, { params: { id: this.#projectId } });
    this.#form.take(project);
    if (this.#form.endpoint !== null) {
      const { draft, isConflict } = rebase(this.#form.endpoint, project.webhook_url);
      this.#form.endpoint = draft;
      if (isConflict) this.conflict = messages.conflict(project.webhook_url);
    }
    return project.settings_version;
  }

  async #change(
    id: string,
    { draft, version }: { draft: EndpointDraft; version: number | undefined },
  ): Promise<string> {
    const { url } = fieldsOf(draft);
    // The draft of the first endpoint was just rebased: without an edit, its URL is the saved one.
    const changes = changesOf(draft, draft.isFirst ? url : (this.savedUrl ?? url));
    const body = version === undefined ? changes : { ...changes, settings_version: version };
    draft.unconfirmed = Object.keys(changes);
    await call(changeEndpoint, { params: { id: this.#projectId, endpoint_id: id }, body });
    if (version !== undefined) this.#noteFirst(url);
    return id;
  }

  async #add(body: EndpointBody): Promise<string> {
    const { id, webhook_secret: secret } = await call(createEndpoint, { params: { id: this.#projectId }, body });
    this.#form.secrets.endpoint = { id, secret, phase: 'current' };
    this.#added = id;
    return id;
  }

  /** What was typed while it was saved stays, for the next save. */
  #close(id: string, saved: EndpointBody): void {
    const draft = this.#form.endpoint;
    if (draft === null) return;
    if (isSame(fieldsOf(draft), saved)) this.#form.endpoint = null;
    else {
      const { url, description, is_enabled: isEnabled, events = draft.events } = saved;
      Object.assign(draft, { id, unconfirmed: [], saved: { url, description, isEnabled, events: [...events] } });
    }
  }

  /** The form of the project has this URL too: the next state from the server is then no change by somebody else. */
  #noteFirst(url: string): void {
    this.#form.draft.webhook_url = url;
  }
}
