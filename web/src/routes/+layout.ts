// A single-page app: the server sends files, the browser draws.
export const ssr = false;
export const prerender = false;
