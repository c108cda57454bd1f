// @vitest-environment happy-dom
// Which media is shown and fetched, from where, and how pictures of sensitive items start (MP2, ST3).
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { Project } from '@countersign/shared/schemas/projects';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { session } from '#lib/auth/session.svelte.ts';
import MediaValue from './MediaValue.svelte';
import { mediaOf } from './media.ts';
import { mediaPlaceOf, type MediaPlace, pictures } from './pictures.svelte.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const PLACE: MediaPlace = {
  itemId: 'item',
  projectId: 'project',
  hosts: ['a.example'],
  sensitive: null,
  suggestion: null,
  maySet: false,
};
const shown = (text: string, place: MediaPlace | null = PLACE) => {
  const media = mediaOf(text);
  if (media === null) throw new Error('no media');
  return render(MediaValue, { props: { media }, context: new Map([['media place', () => place]]) }).container;
};
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

describe('media of a submission', () => {
  it.each([
    [PIXEL, 'inside', 'image'],
    ['data:audio/mpeg;base64,SUQz', 'inside', 'audio'],
    ['data:video/mp4;base64,AAAA', 'inside', 'video'],
    ['data:application/pdf;base64,JVBERg==', 'inside', 'pdf'],
    ['https://a.example/x.PNG?y', 'outside', 'image'],
    ['https://a.example/call.mp3', 'outside', 'audio'],
    ['https://a.example/film.webm#t=3', 'outside', 'video'],
    ['https://a.example/bill.pdf', 'outside', 'pdf'],
    ['https://a.example/x', 'outside', null],
    ['https://a.example/x.svg', 'outside', null],
  ])('%s is %s, %s', (text, kind, what) => expect(mediaOf(text)).toMatchObject({ kind, what }));

  it.each([
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PGI+',
    'data:image/png;base64,',
    'data:image/png,<svg onload=alert(1)>',
    'data:audio/mpeg;base64,SUQz"onerror=alert(1)',
    'javascript:alert(1)//.png',
  ])('%s is none', (text) => expect(mediaOf(text)).toBeNull());

  it('MP2: of a media host is fetched from our own server, with a player for sound and video', () => {
    const from = '/api/items/item/media?url=https%3A%2F%2Fa.example%2F';
    expect(shown('https://a.example/x.png').querySelector('img')?.getAttribute('src')).toBe(`${from}x.png`);
    expect(shown('https://a.example/x.mp3').querySelector('audio')?.getAttribute('src')).toBe(`${from}x.mp3`);
    expect(shown('https://a.example/x.mp4').querySelector('video')?.getAttribute('src')).toBe(`${from}x.mp4`);
  });

  it.each([
    ['another host', 'https://b.example/x.png', PLACE],
    ['another port', 'https://a.example:8443/x.png', PLACE],
    ['plain http', 'http://a.example/x.png', PLACE],
    ['outside of an item', 'https://a.example/x.png', null],
  ])('MP2: of %s is not fetched', (_, text, place) => {
    expect(shown(text, place).querySelector('img, audio, video, source')).toBeNull();
  });

  it('links outside of an item to the item, and does not say that its host is refused', () => {
    const media = mediaOf('https://a.example/x.png');
    if (media === null) throw new Error('no media');
    const context = new Map([['item address', () => '/queue?item=i-1']]);
    const { container } = render(MediaValue, { props: { media }, context });
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).not.toContain('media host');
    expect(screen.getByRole('link', { name: 'Open the item to see it' }).getAttribute('href')).toBe('/queue?item=i-1');
  });

  it('has no link where no item is known', () => {
    const text = shown('https://a.example/x.png', null).textContent;
    expect(text).toContain("It isn't loaded here.");
    expect(text).not.toContain('Open the item');
  });

  it('says who can allow a host: an owner gets a link to the settings, others a sentence', () => {
    shown('https://b.example/x.mp3');
    expect(screen.getByText(/An owner can allow it/)).toBeTruthy();
    cleanup();
    shown('https://b.example/x.mp3', { ...PLACE, maySet: true });
    const link = screen.getByText('Allow b.example in the project settings');
    expect(link.getAttribute('href')).toBe('/projects/project/rules#content');
  });

  const PICTURE = 'https://a.example/x.png';
  const refusal = (code: string, detail: string) => Response.json({ status: 422, code, detail }, { status: 422 });
  const images = () => document.querySelectorAll('img').length;
  const retry = () => screen.queryByRole('button', { name: 'Retry: Image from the submission' });
  /** Shows a picture whose element fails; the server then answers its question why. */
  async function broken(answer: () => Response | Promise<Response>, text = PICTURE) {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => answer()),
    );
    const container = shown(text);
    // A change of a region is read out only if the region was there before.
    const status = container.querySelector('[role=status]');
    await fireEvent.error(container.querySelector('img')!);
    return { container, status };
  }

  it('says why our server refused a file, which is not tried again', async () => {
    const { status } = await broken(() => refusal('media_refused', 'Larger than 25 MiB.'));
    await vi.waitFor(() => expect(status?.textContent).toBe('Larger than 25 MiB.'));
    expect([images(), retry()]).toEqual([0, null]);
  });

  it('shows a file at a press that could not be fetched, with the focus in its place', async () => {
    const { status } = await broken(() => refusal('media_unavailable', 'a.example did not send this file.'));
    await vi.waitFor(() => expect(status?.textContent).toBe('a.example did not send this file.'));
    retry()!.focus();
    await fireEvent.click(retry()!);
    expect([images(), status?.textContent, retry()]).toEqual([1, '', null]);
    expect(document.activeElement?.contains(status)).toBe(true);
  });

  it('shows a file again when the network is back', async () => {
    const { status } = await broken(() => Promise.reject(new TypeError('Failed to fetch')));
    await vi.waitFor(() => expect(status?.textContent).toBe("Can't display this image."));
    window.dispatchEvent(new Event('online'));
    await vi.waitFor(() => expect(images()).toBe(1));
  });

  it('shows a file again after the user has signed in again', async () => {
    session.state = 'signed_in';
    const { status } = await broken(() =>
      Response.json({ status: 401, code: 'session_missing', detail: 'Sign in.' }, { status: 401 }),
    );
    await vi.waitFor(() => expect(status?.textContent).toBe('Sign in.'));
    expect(session.state).toBe('ended');
    session.state = 'signed_in';
    await vi.waitFor(() => expect(images()).toBe(1));
    session.state = 'unknown';
  });

  it('MP10: shows a file again by itself that the server has again, once, and reads it once', async () => {
    const cancelled = vi.fn();
    const body = () => new ReadableStream({ cancel: cancelled });
    const { container, status } = await broken(() => new Response(body()));
    await vi.waitFor(() => expect(images()).toBe(1));
    expect(cancelled).toHaveBeenCalledTimes(1);
    await fireEvent.error(container.querySelector('img')!);
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(2));
    await vi.waitFor(() => expect(retry()).toBeNull());
    window.dispatchEvent(new Event('online'));
    await tick();
    expect([images(), status?.textContent]).toEqual([0, "Can't display this image."]);
  });

  it('MP10: offers another attempt where a request failed between two reads', async () => {
    let served = true;
    const { container, status } = await broken(() =>
      served ? new Response('') : refusal('media_unavailable', 'a.example did not send this file.'),
    );
    await vi.waitFor(() => expect(images()).toBe(1));
    served = false;
    await fireEvent.error(container.querySelector('img')!);
    await vi.waitFor(() => expect(status?.textContent).toBe('a.example did not send this file.'));
    served = true;
    await fireEvent.click(retry()!);
    await fireEvent.error(container.querySelector('img')!);
    await vi.waitFor(() => expect(images()).toBe(1));
  });

  it('MP10: offers another attempt where the connection of a player breaks again', async () => {
    vi.stubGlobal('fetch', async () => new Response(''));
    const container = shown('https://a.example/x.mp3');
    const breakOff = async () => {
      const audio = container.querySelector('audio')!;
      Object.defineProperty(audio, 'error', { value: { code: 2, MEDIA_ERR_NETWORK: 2 } });
      await fireEvent.error(audio);
    };
    await breakOff();
    await vi.waitFor(() => expect(container.querySelector('audio')).not.toBeNull());
    await breakOff();
    const press = await screen.findByRole('button', { name: /^Retry/ });
    await fireEvent.click(press);
    expect(container.querySelector('audio')).not.toBeNull();
  });

  it('does not try a damaged file again that the submission contains', async () => {
    const { status } = await broken(() => Response.error(), PIXEL);
    await vi.waitFor(() => expect(status?.textContent).toBe("Can't display this image."));
    expect(retry()).toBeNull();
    expect(fetch).not.toHaveBeenCalled();
  });

  it('leaves the failure of one file behind with that file', async () => {
    vi.stubGlobal('fetch', async () => refusal('media_refused', 'Larger than 25 MiB.'));
    const props = (text: string) => ({ media: mediaOf(text)! });
    const context = new Map([['media place', () => PLACE]]);
    const { container, rerender } = render(MediaValue, { props: props(PICTURE), context });
    await fireEvent.error(container.querySelector('img')!);
    await screen.findByText('Larger than 25 MiB.');
    await rerender(props('https://a.example/y.png'));
    await vi.waitFor(() => expect(images()).toBe(1));
  });
});

describe('ST3: a picture', () => {
  const styleOf = (place: MediaPlace) => shown(PIXEL, place).querySelector('img')!.className;
  const sensitive: MediaPlace = { ...PLACE, sensitive: 'blur' };
  // Other files of the same process have the same reader.
  afterEach(() => pictures.choose(sensitive, ''));

  it('starts in colour, or covered where the item is sensitive; each choice of the reader is remembered', async () => {
    expect(styleOf(PLACE)).not.toMatch(/blur|grayscale/);
    cleanup();
    expect(styleOf(sensitive)).toContain('blur');
    await fireEvent.change(screen.getByLabelText('Show pictures'), { target: { value: 'colour' } });
    expect(localStorage.getItem('countersign.pictures.sensitive')).toBe('colour');
    expect(localStorage.getItem('countersign.pictures.usual')).toBeNull();
    cleanup();
    expect(styleOf(sensitive)).not.toMatch(/blur|grayscale/);
  });

  it('is sensitive by the flags of its item, compared as routing compares them', () => {
    const project = { id: 'p', media_hosts: [], sensitive_flags: ['Violence '], sensitive_pictures: 'grey' };
    const settings = { ...project, abilities: { change_settings: true } } as unknown as Project;
    const item = (risk_flags: string[]) => ({ id: 'i', risk_flags }) as ItemDetail;
    expect(mediaPlaceOf(item(['violence']), settings).sensitive).toBe('grey');
    expect(mediaPlaceOf(item(['violent']), settings).sensitive).toBeNull();
  });

  it('is zoomed and turned by buttons', async () => {
    const box = shown(PIXEL);
    const image = box.querySelector('img')!;
    Object.defineProperties(image, { naturalWidth: { value: 100 }, naturalHeight: { value: 50 } });
    await fireEvent.load(image);
    await fireEvent.click(screen.getByLabelText('Zoom in'));
    await fireEvent.click(screen.getByLabelText('Rotate'));
    expect(image.parentElement!.style.transform).toContain('rotate(90deg)');
    expect(screen.getByText('125%')).toBeTruthy();
    await fireEvent.click(screen.getByLabelText('Fit'));
    expect(screen.queryByText('125%')).toBeNull();
  });

  it('is shown in its own size where its reader chose that before', async () => {
    shown(PIXEL);
    await fireEvent.click(screen.getByRole('button', { name: 'Actual size' }));
    expect(localStorage.getItem('countersign.pictures.size')).toBe('actual');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Actual size' }).disabled).toBe(true);
    await fireEvent.click(screen.getByLabelText('Fit'));
    expect(localStorage.getItem('countersign.pictures.size')).toBe('fit');
  });

  it('MP8: with the focus takes keys, which then do nothing else', async () => {
    const box = shown(PIXEL);
    const image = box.querySelector('img')!;
    Object.defineProperties(image, { naturalWidth: { value: 100 }, naturalHeight: { value: 50 } });
    await fireEvent.load(image);
    const view = screen.getByRole('group');
    expect(await fireEvent.keyDown(view, { key: '+' })).toBe(false);
    expect(screen.getByText('125%')).toBeTruthy();
    await fireEvent.keyDown(view, { key: '-' });
    await fireEvent.keyDown(view, { key: '-' });
    expect(screen.getByText('80%')).toBeTruthy();
    expect(await fireEvent.keyDown(view, { key: 'r' })).toBe(false);
    expect(image.parentElement!.style.transform).toContain('rotate(90deg)');
    await fireEvent.keyDown(view, { key: '0' });
    expect(screen.queryByText('80%')).toBeNull();
    // Others, and combinations, are left to the page.
    expect(await fireEvent.keyDown(view, { key: 'a' })).toBe(true);
    expect(await fireEvent.keyDown(view, { key: 'r', ctrlKey: true })).toBe(true);
  });

  it('MP9: of too many pixels is not drawn', async () => {
    const image = shown(PIXEL).querySelector('img')!;
    Object.defineProperties(image, { naturalWidth: { value: 30_000 }, naturalHeight: { value: 30_000 } });
    expect(image.parentElement!.className).toContain('invisible');
    await fireEvent.load(image);
    expect(screen.getByText("Can't display this image: 30,000 × 30,000 pixels are too many.")).toBeTruthy();
    expect(document.querySelector('img')).toBeNull();
  });
});
