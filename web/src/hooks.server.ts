// Which files the page asks the browser to load early. Runs only in the build: nothing is rendered on a server.
import type { Handle } from '@sveltejs/kit/hooks';

/**
 * The font of all text. Found through the style sheet it would arrive after the first rows, and the browser would lay out all of
 * them again. Other writing systems, and the font of code, load where they are needed.
 */
const FONT = /\/inter-latin-wght-/;

export const handle: Handle = ({ event, resolve }) =>
  resolve(event, {
    preload: ({ type, path }) => type === 'js' || type === 'css' || (type === 'font' && FONT.test(path)),
  });
