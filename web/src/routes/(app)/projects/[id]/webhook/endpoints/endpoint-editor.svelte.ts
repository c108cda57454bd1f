// The editor of a project's webhook endpoints: adds, changes and removes one at a time, the first one included (WH12).
import { call } from '#lib/api/client.ts';
import type { Mutation } from '#lib/api/mutation.svelte.ts';
import type { Resource } from '#lib/api/resource.svelte.ts';
import { focusIfLost } from '#lib/shell/focus.ts';
import { readProject } from '@countersign/shared/routes/projects';
import { changeEndpoint, createEndpoint, listEndpoints, removeEndpoint } from '@countersign/shared/routes/webhook';
import type { Project } from '@countersign/shared/schemas/projects';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import type { SettingsForm } from '../../settings/settings-form.svelte.ts';
import { isSame } from '../../settings/merge-fields.ts';
import {
  addsEndpoint,
  changesOf,
  draftOf,
  type EndpointBody,
  type EndpointDraft,
  type EndpointNow,
  fieldsOf,
  firstDraft,
  newDraft,
  rebase,
  savedOf,
} from './endpoint-draft.ts';
import { endpointMessages as messages } from './endpoint-messages.ts';

/** What is typed is in the project's form, which outlives the tab. */
export class EndpointEditor {
  /** While it is pending, no other endpoint is begun: the answer would be taken for that one. */
  readonly saving: Mutation;
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
    this.#form.announcement = '';
    await this.saving.run(async () => {
      const version = await this.#catchUp();
      const draft = this.#form.endpoint;
      if (draft === null || Object.keys(draft.conflicts).length > 0) return;
      const fields = fieldsOf(draft);
      const id =
        draft.id === null || addsEndpoint(draft)
          ? await this.#add(fields)
          : await this.#change(draft.id, { draft, version });
      this.#close(id, fields);
      this.#form.announcement = messages.saved;
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
    this.#form.announcement = messages.removed;
    await this.#list.load();
    await focusIfLost('endpoints');
  }

  get #projectId(): string {
    return this.#form.project.id;
  }

  #newDraft(): EndpointDraft {
    return this.rows.some(({ is_default }) => is_default) ? newDraft() : firstDraft(this.#projectId);
  }

  /**
   * Bases what is typed on what is saved now (ST1). The URL of the first endpoint is a setting: returns the version that its change is
   * based on. Everything else has no version: a change by somebody else between this and the save is replaced.
   */
  async #catchUp(): Promise<number | undefined> {
    const { id, isFirst } = this.#form.endpoint ?? newDraft();
    if (id === null) return undefined;
    const params = { id: this.#projectId };
    const project = isFirst ? await call(readProject, { params }) : null;
    if (project !== null) this.#form.take(project);
    const listed = (await call(listEndpoints, { params })).data.find((one) => one.id === id);
    const draft = this.#form.endpoint;
    if (draft === null) return undefined;
    this.#form.endpoint = rebase(draft, project === null ? savedNow(listed) : firstNow(draft, project, listed));
    return project?.settings_version;
  }

  async #change(
    id: string,
    { draft, version }: { draft: EndpointDraft; version: number | undefined },
  ): Promise<string> {
    const { url } = fieldsOf(draft);
    const changes = changesOf(draft);
    const body = version === undefined ? changes : { ...changes, settings_version: version };
    draft.unconfirmed = changes;
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
      Object.assign(draft, { id, unconfirmed: {}, saved: { url, description, isEnabled, events: [...events] } });
    }
  }

  /** The form of the project has this URL too: the next state from the server is then no change by somebody else. */
  #noteFirst(url: string): void {
    this.#form.draft.webhook_url = url;
  }
}

const savedNow = (listed: WebhookEndpoint | undefined): EndpointNow | null =>
  listed === undefined ? null : savedOf(listed);

/** The first endpoint has the URL that belongs to the version of the settings, also where the list was read a moment later. */
function firstNow(
  { saved, description, events, isEnabled }: EndpointDraft,
  { webhook_url: url }: Project,
  listed: WebhookEndpoint | undefined,
): EndpointNow | null {
  if (url === null) return null;
  return { ...(savedNow(listed) ?? saved ?? { description, events, isEnabled }), url };
}
