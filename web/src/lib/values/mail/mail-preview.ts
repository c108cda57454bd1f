// The document a mail is previewed as: cleaned, and shown in a frame that runs nothing and loads nothing.

/** Applies inside of the frame, besides the policy of the page that it inherits. */
const FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Elements that run, load, lead away, or ask for something. Their text stays where they have one. */
const REMOVED =
  'script, link, meta, base, title, iframe, frame, frameset, object, embed, applet, audio, video, source, track, portal, template, noscript, input[type=hidden]';
const KEPT_ATTRIBUTES =
  /^(?:style|class|id|dir|lang|align|valign|width|height|border|cellpadding|cellspacing|bgcolor|color|face|size|alt|title|colspan|rowspan|start|type|hspace|vspace)$/i;

interface MailPreview {
  /** For `srcdoc`. */
  readonly document: string;
  /** The targets of links, in order, each once: in the preview links lead nowhere. */
  readonly links: readonly { readonly words: string; readonly href: string }[];
  /** Pictures that are not loaded. */
  readonly pictures: number;
}

export function mailPreview(html: string): MailPreview {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const links = linksOf(page);
  const pictures = [...page.querySelectorAll('img, image')].filter((image) => !isInside(image));
  for (const picture of pictures) picture.replaceWith(placeholder(page, picture));
  for (const element of page.querySelectorAll(REMOVED)) element.remove();
  for (const element of page.querySelectorAll('*')) clean(element);
  const style = 'body{margin:16px;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}img{max-width:100%}';
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}"><meta name="color-scheme" content="light"><style>${style}</style>`;
  const styles = [...page.querySelectorAll('head style')].map((each) => each.outerHTML).join('');
  return {
    document: `<!doctype html><html><head>${head}${styles}</head>${page.body.outerHTML}</html>`,
    links,
    pictures: pictures.length,
  };
}

const isInside = (image: Element): boolean => /^data:image\//i.test(image.getAttribute('src') ?? '');

/** Its words, in a frame. */
function placeholder(page: Document, picture: Element): Element {
  const place = page.createElement('span');
  const words = picture.getAttribute('alt')?.trim() ?? '';
  place.textContent = words === '' ? '▨' : words;
  place.setAttribute('style', 'border:1px dashed #999;padding:2px 6px;color:#555;font-size:13px');
  return place;
}

function linksOf(page: Document): MailPreview['links'] {
  const found = [...page.querySelectorAll('a[href], area[href]')].map((link) => ({
    words: link.textContent.replaceAll(/\s+/g, ' ').trim(),
    href: link.getAttribute('href') ?? '',
  }));
  return [...new Map(found.map((link) => [JSON.stringify([link.href, link.words]), link])).values()];
}

/** What could load or run something, in a style or an attribute. The policy of the frame forbids it all the same. */
const LOADS = /url\s*\(|@import|image-set|\\|\/\/|javascript:|expression\s*\(/i;

/** Comments first: they may hide the beginning of the others. */
const CUT: readonly (readonly [RegExp, string])[] = [
  [/\/\*/g, '*/'],
  [/@import/gi, ';'],
  [/url\s*\(/gi, ')'],
];

/** The text without what stands between these, which goes on to the end where it is not closed. Reads the text once. */
function without(text: string, open: RegExp, close: string): string {
  let left = '';
  for (let at = 0; ;) {
    open.lastIndex = at;
    const begun = open.exec(text);
    if (begun === null) return left + text.slice(at);
    left += text.slice(at, begun.index);
    const end = text.indexOf(close, open.lastIndex);
    if (end === -1) return left;
    at = end + close.length;
  }
}

function clean(element: Element): void {
  if (element.localName === 'style') {
    const rules = CUT.reduce((text, [open, close]) => without(text, open, close), element.textContent);
    element.textContent = LOADS.test(rules) || rules.includes('</') ? '' : rules;
    return;
  }
  for (const { name, value } of [...element.attributes]) {
    const inside = name === 'src' && isInside(element) && element.localName === 'img';
    if (!inside && (!KEPT_ATTRIBUTES.test(name) || LOADS.test(value))) element.removeAttribute(name);
  }
}
