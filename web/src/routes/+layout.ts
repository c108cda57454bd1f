// Makes the web app a single-page app: the server sends files, the browser renders.
export const ssr = false;
export const prerender = false;
