// Build plugin: compiles each icon into one template with the attributes that the pages use.
import type { Plugin } from 'vite';

/** The attributes that pages give to icons. Others would be dropped, so `src/static-icons.test.ts` reads every page. */
export const ICON_ATTRIBUTES = ['size', 'strokeWidth', 'class', 'aria-hidden', 'aria-label'] as const;

const SCRIPT = `<script>
  let { size = 24, strokeWidth = 2, class: classes, 'aria-label': label, 'aria-hidden': hidden } = $props();
</script>`;
const OPENING = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round"
  width={size} height={size} stroke-width={strokeWidth} class={classes}
  aria-label={label} aria-hidden={hidden ?? (label === undefined ? 'true' : undefined)}>`;

type Shape = readonly [tag: string, attributes: Readonly<Record<string, string | number>>];

/**
 * Lucide's own component makes every element of an icon from data, attribute by attribute, and merges settings that nobody
 * uses: a fifth of the time to show the first page, where there are twenty icons, and as much in each row of a list.
 */
export function staticIcons(): Plugin {
  return {
    name: 'countersign:static-icons',
    enforce: 'pre',
    transform: {
      filter: { id: /\/@lucide\/svelte\/dist\/icons\/[^/]+\.svelte$/ },
      handler: (source) => ({ code: staticIcon(source), map: null }),
    },
  };
}

/** The component of one icon, from the source of Lucide's. Throws for a source of another form: a new version has to be looked at. */
export function staticIcon(source: string): string {
  const data = /const iconData = (\{.*\});$/m.exec(source)?.[1];
  if (data === undefined)
    throw new Error('The icon’s source has no iconData: web/static-icons.ts does not know this version of Lucide.');
  const { size, node } = JSON.parse(data) as { size: number; node: Shape[] };
  if (size !== 24) throw new Error(`The icon is drawn for ${size} pixels, not for 24.`);
  return `${SCRIPT}\n${OPENING}${node.map(element).join('')}</svg>\n`;
}

function element([tag, attributes]: Shape): string {
  const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<${tag}${pairs.join('')} />`;
}
