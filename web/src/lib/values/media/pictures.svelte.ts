// Where media is shown, and how its reader wants pictures: in colour, in greyscale or blurred (ST3).
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { Project } from '@countersign/shared/schemas/projects';
import type { Json } from '@countersign/shared/json/json';
import { getContext, setContext } from 'svelte';
import { oneOf, persisted } from '../../storage/persisted.ts';

/** The item that the values belong to, with what its project says about media. */
export interface MediaPlace {
  /** Null where it is not stored: then nothing is fetched for it. */
  itemId: string | null;
  projectId: string;
  /** The `media_hosts` of the project. */
  hosts: readonly string[];
  /** How its pictures start, because the item has a sensitive flag; null without one. */
  sensitive: 'grey' | 'blur' | null;
  /** Its boxes are drawn on the one picture of the input. */
  suggestion: Json;
  /** The reader may change the settings of the project. */
  maySet: boolean;
}

/** The place of an item. Flags are compared as routing compares them (RT1). */
export function mediaPlaceOf(item: Pick<ItemDetail, 'id' | 'risk_flags' | 'suggestion'>, project: Project): MediaPlace {
  const asFlag = (flag: string) => flag.trim().normalize('NFC').toLowerCase();
  const flags = item.risk_flags.map(asFlag);
  const isSensitive = project.sensitive_flags.some((flag) => flags.includes(asFlag(flag)));
  return {
    ...{ itemId: item.id, projectId: project.id, hosts: project.media_hosts },
    suggestion: item.suggestion,
    sensitive: isSensitive ? project.sensitive_pictures : null,
    maySet: project.abilities.change_settings,
  };
}

const KEY = 'media place';

/** A function, because the open item changes. */
export const setMediaPlace = (place: () => MediaPlace | null): unknown => setContext(KEY, place);

/** Null outside of an item: then nothing is fetched. */
export const getMediaPlace = (): (() => MediaPlace | null) =>
  getContext<(() => MediaPlace | null) | undefined>(KEY) ?? none;

const none = () => null;

const ITEM_KEY = 'item address';

/** Where the item opens whose values are shown elsewhere. */
export const setItemAddress = (href: () => string): unknown => setContext(ITEM_KEY, href);

export const getItemAddress = (): (() => string | null) => getContext<(() => string) | undefined>(ITEM_KEY) ?? none;

export const EFFECTS = ['colour', 'grey', 'blur'] as const;
export type Effect = (typeof EFFECTS)[number];

const choice = (name: string) => persisted(`countersign.pictures.${name}`, oneOf<Effect | ''>(['', ...EFFECTS]));
/** Fitted into its view, or a pixel of it on each of the screen. */
const SIZES = ['fit', 'actual'] as const;
type Size = (typeof SIZES)[number];
const stored = {
  ...{ usual: choice('usual'), sensitive: choice('sensitive') },
  size: persisted('countersign.pictures.size', oneOf<Size>(SIZES)),
};

/** The reader's choices; empty until they make one. Sensitive pictures have one of their own. */
class Pictures {
  #usual: Effect | '' = $state(stored.usual.read());
  #sensitive: Effect | '' = $state(stored.sensitive.read());

  #size: Size = $state(stored.size.read());

  get size(): Size {
    return this.#size;
  }

  resize(size: Size): void {
    this.#size = size;
    stored.size.write(size);
  }

  effect(place: MediaPlace | null): Effect {
    const sensitive = place?.sensitive ?? null;
    return sensitive === null ? this.#usual || 'colour' : this.#sensitive || sensitive;
  }

  /** Empty: as the project says again. */
  choose(place: MediaPlace | null, effect: Effect | ''): void {
    const isSensitive = (place?.sensitive ?? null) !== null;
    if (isSensitive) this.#sensitive = effect;
    else this.#usual = effect;
    stored[isSensitive ? 'sensitive' : 'usual'].write(effect);
  }
}

export const pictures = new Pictures();
