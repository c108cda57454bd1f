// Rule AU: which automatic approvals a person looks at again, unseen, so that the line is measured.

/**
 * AU1: whether an automatically approved item is drawn for an audit. `rate` from 0 to 1 is the share that is. By the item's id
 * alone: asked again, in whatever process, the answer is the same, and whoever is drawn at one rate is drawn at every higher one.
 */
export const isDrawn = (itemId: string, rate: number): boolean => placeOf(itemId) < rate;

/** Where an id stands between 0 and 1: FNV-1a over its characters, stirred by the finalizer of MurmurHash3, so that ids of one moment scatter. */
function placeOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
