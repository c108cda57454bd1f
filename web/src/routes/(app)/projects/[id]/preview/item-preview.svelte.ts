// The item in the editor of the preview, and what the service said of it.
import { call, isRefusal } from '#lib/api/client.ts';
import { persisted } from '#lib/storage/persisted.ts';
import { JsonFault } from '#lib/values/json/json-fault.ts';
import { parseJson } from '#lib/values/json/lossless.ts';
import { previewItem } from '@countersign/shared/routes/previews';
import type { InboundSubmission } from '@countersign/shared/schemas/inbound';
import type { ItemPreview as Preview } from '@countersign/shared/schemas/previews';
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Json } from '@countersign/shared/json/json';

/** Why the item would be refused. */
export interface ItemFault {
  /** A JSON pointer into the item; null where the text is no JSON. */
  readonly pointer: string | null;
  /** The pointer for people: `answer_schema › type`. Empty for the whole item. */
  readonly place: string;
  /** A sentence. */
  readonly message: string;
}

type Outcome =
  | { readonly kind: 'shown'; readonly text: string; readonly preview: Preview; readonly fromText: boolean }
  | { readonly kind: 'refused'; readonly text: string; readonly faults: readonly ItemFault[] };

/** What an item may be refused for: the text can be changed. All else is a failure, and can be tried again. */
const REFUSALS = [
  'validation_failed',
  'schema_invalid',
  'project_mismatch',
  'payload_too_large',
  'invalid_json',
] as const;

/** The text stays in this tab over a reload: an item may hold what no other tab should show. */
const draftOf = (projectId: string) =>
  persisted<string>(`countersign.preview.${projectId}`, { parse: (text) => text ?? '', format: (text) => text }, () =>
    typeof sessionStorage === 'undefined' ? null : sessionStorage,
  );

export class ItemPreview {
  text = $state('');
  running = $state(false);
  outcome: Outcome | null = $state.raw(null);
  error: unknown = $state.raw(null);
  /** The text is not the one that was previewed. */
  readonly stale = $derived(this.outcome !== null && this.outcome.text !== this.text);
  readonly #projectId: string;
  readonly #draft: ReturnType<typeof draftOf>;
  #request = 0;

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.#draft = draftOf(projectId);
    this.text = this.#draft.read();
  }

  type(text: string): void {
    this.text = text;
    this.#draft.write(text);
  }

  /** Asks the service. Never throws: refusals are an outcome, failures are in `error`. */
  async run(): Promise<void> {
    const request = ++this.#request;
    const { text } = this;
    this.error = null;
    const read = readItem(text);
    if ('faults' in read) {
      this.running = false;
      this.outcome = { kind: 'refused', text, faults: read.faults };
      return;
    }
    this.running = true;
    try {
      const preview = await call(previewItem, {
        params: { id: this.#projectId },
        // The service says what is wrong with its shape.
        body: read.item as unknown as InboundSubmission,
      });
      if (request === this.#request) this.outcome = { kind: 'shown', text, preview, fromText: read.fromText };
    } catch (error) {
      if (request !== this.#request) return;
      const faults = faultsOf(error);
      if (faults === null) this.error = error;
      else this.outcome = { kind: 'refused', text, faults };
    } finally {
      if (request === this.#request) this.running = false;
    }
  }
}

/** What starts like this is meant as JSON: its faults are shown. */
const JSON_START = /^\s*[{["]/;

/** The item around a plain text. Its confidence is a middle one. */
const itemOf = (suggestion: string): Json => ({ input: null, suggestion, confidence: 0.5 });

function readItem(text: string): { item: Json; fromText: boolean } | { faults: readonly ItemFault[] } {
  try {
    return { item: parseJson(text), fromText: false };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (!JSON_START.test(text)) return { item: itemOf(text.trim()), fromText: true };
    return { faults: [{ pointer: null, place: '', message: error.message }] };
  }
}

function faultsOf(error: unknown): readonly ItemFault[] | null {
  if (!isRefusal(error, REFUSALS)) return null;
  if (error.errors.length === 0) return [{ pointer: null, place: '', message: error.detail }];
  return error.errors.map(({ pointer: fragment, detail }) => {
    const pointer = decodeURIComponent(fragment.replace(/^#/, ''));
    return { pointer, place: stepsOf(pointer).join(' › '), message: detail };
  });
}
