// Reads a picture, sound, video or PDF that an item links to, for a member, through this service (MP1 to MP5).
import { Refusal } from '@countersign/shared/errors';
import { Project } from '../../db/entities/project.ts';
import { MediaRefused, type MediaAnswer, type MediaFault } from '../../domain/media/media-answer.ts';
import { mentionsUrl, spelledUrl } from '../../domain/media/mentions-url.ts';
import { findItem } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

interface MediaInput {
  itemId: string;
  url: string;
  /** The `range` header, or null. */
  range: string | null;
}

/** One range of bytes, as players ask for. Any other header is ignored, as HTTP allows. */
const ONE_RANGE = /^bytes=\d{1,15}-\d{0,15}$/;

/** Errors: `not_found`, `media_refused`, `media_unavailable`. */
export async function readMedia(services: Services, actor: MemberActor, input: MediaInput): Promise<MediaAnswer> {
  const url = spelledUrl(input.url);
  const hosts = await services.db.read(async (em) => {
    const { item } = await findItem(em, actor.userId, input.itemId);
    const texts = [item.input, item.suggestion, item.metadata ?? null];
    if (url === null || !mentionsUrl(texts, url)) throw new Refusal('media_refused', NOT_IN_ITEM);
    const { mediaHosts } = await em.findOneOrFail(Project, { id: item.projectId });
    return mediaHosts;
  });
  const range = input.range !== null && ONE_RANGE.test(input.range) ? input.range : null;
  try {
    return await services.fetchMedia({ url: url ?? '', hosts, range });
  } catch (error) {
    if (error instanceof MediaRefused) throw refusalOf(error.fault, url ?? '');
    throw error;
  }
}

const NOT_IN_ITEM = 'Only addresses that occur in this item are shown.';

function refusalOf(fault: MediaFault, url: string): Refusal {
  const [code, detail] = REFUSALS[fault];
  return new Refusal(code, detail.replace('HOST', URL.parse(url)?.host ?? 'the host'));
}

const REFUSALS: Record<MediaFault, ['media_refused' | 'media_unavailable', string]> = {
  url_refused: ['media_refused', 'HOST cannot be reached: only public https addresses are fetched.'],
  host_refused: [
    'media_refused',
    'The project does not allow this host. An owner can add HOST, and hosts it redirects to, to the media hosts in the project settings.',
  ],
  too_many_redirects: ['media_refused', 'HOST redirects too often.'],
  wrong_type: [
    'media_refused',
    'This is not a picture, sound, video or PDF of a known type, or HOST calls it another.',
  ],
  encoded: ['media_refused', 'HOST sends this file compressed, which is not accepted.'],
  too_large: ['media_refused', 'This file is larger than 25 MiB. Open it in a new tab.'],
  timeout: ['media_unavailable', 'HOST did not send this file in time. Try again.'],
  not_there: ['media_unavailable', 'HOST does not have this file.'],
  unreachable: ['media_unavailable', 'HOST did not send this file.'],
};
