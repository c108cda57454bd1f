// Fills the palette: the commands of the page, every page, project and view of the reader, and what belongs to their account.
import { paletteText as text } from '#lib/keys/panels-text.ts';
import { keyboard } from '#lib/keys/listening.svelte.ts';
import { keyOf, ownKeys } from '#lib/keys/own-keys.svelte.ts';
import type { Command } from '#lib/keyboard.ts';
import { PAGES } from '#lib/navigation.ts';
import type { PaletteEntry } from '#lib/palette/entries.ts';
import { queueText } from '#lib/queue-text.ts';
import { session } from '#lib/session.svelte.ts';
import { asked } from '#lib/stop/asked.svelte.ts';
import { stopText } from '#lib/stop/stop-text.ts';
import { text as shared } from '#lib/text.ts';
import { chooseTheme, THEMES } from '#lib/theme.ts';
import type { Project } from '@countersign/shared/api/projects';
import { QUEUE_VIEWS } from '@countersign/shared/api/queue';
import { tabsFor } from './projects/[id]/tabs.ts';

/** Goes to an address of this site. */
type To = (address: string) => unknown;

const GO: Record<string, Command> = {
  '/queue': 'goQueue',
  '/projects': 'goProjects',
  '/analytics': 'goAnalytics',
  '/learnings': 'goLearnings',
};
/** What is an entry of its own already, is the palette itself, or makes sense under a key only. */
const ELSEWHERE = new Set<Command>(['palette', 'reason', 'down', 'up', ...Object.values(GO)]);

/** Everything that can be chosen now. */
export function paletteEntries({ projects, saved, to }: PaletteNeeds): PaletteEntry[] {
  const goesTo = (address: string) => () => to(address);
  return [
    ...commandEntries(),
    ...pageEntries(goesTo),
    ...projects.flatMap((project) => entriesOfProject(project, goesTo)),
    ...viewEntries(saved, goesTo),
    ...ownEntries(),
  ];
}

/** Makes the way to an address. */
type GoesTo = (address: string) => () => unknown;

interface PaletteNeeds {
  projects: readonly Project[];
  saved: readonly SavedPlace[];
  to: To;
}

/** A saved filter of the queue, as the palette needs it. */
export interface SavedPlace {
  readonly name: string;
  readonly href: string;
}

const commandEntries = (): PaletteEntry[] =>
  keyboard
    .available()
    .filter(({ command }) => !ELSEWHERE.has(command))
    .map(({ command, words }) => ({
      id: `do ${command}`,
      group: 'here',
      words: [words],
      key: keyOf(command),
      run: () => keyboard.invoke(command),
    }));

function pageEntries(to: GoesTo): PaletteEntry[] {
  const pages = PAGES.map(({ path, name }): PaletteEntry => {
    const command = GO[path];
    const key = command === undefined ? {} : { key: `${keyOf('go')} ${keyOf(command)}` };
    return { id: `go ${path}`, group: 'go', words: [name], ...key, run: to(path) };
  });
  return [
    ...pages,
    { id: 'go /account', group: 'go', words: [shared.shell.settings], run: to('/account') },
    { id: 'go /sessions', group: 'go', words: [shared.shell.sessions], run: to('/sessions') },
  ];
}

function entriesOfProject(project: Project, to: GoesTo): PaletteEntry[] {
  const { id, name, abilities } = project;
  const address = `/projects/${id}`;
  const tabs = tabsFor(abilities).filter(({ tab }) => tab !== 'overview');
  return [
    { id: `project ${id}`, group: 'projects', words: ['', name], run: to(address) },
    { id: `queue ${id}`, group: 'projects', words: [text.queueOf, name], run: to(`/queue?project=${id}`) },
    ...tabs.map(({ tab, name: tabName }): PaletteEntry => ({
      id: `tab ${id} ${tab}`,
      group: 'projects',
      words: ['', name, text.tabOf(tabName)],
      rare: true,
      run: to(`${address}/${tab}`),
    })),
    ...(abilities.stop_project ? [stopEntry(project)] : []),
  ];
}

function stopEntry(project: Project): PaletteEntry {
  const words = project.stopped === null ? stopText.stop : stopText.release;
  return {
    id: `stop ${project.id}`,
    group: 'projects',
    words: [words.palette, project.name],
    rare: true,
    run: () => (asked.project = project),
  };
}

const viewEntries = (saved: readonly SavedPlace[], to: GoesTo): PaletteEntry[] => [
  ...QUEUE_VIEWS.map((view): PaletteEntry => ({
    id: `view ${view}`,
    group: 'views',
    words: [text.view(queueText.view[view])],
    run: to(view === 'available' ? '/queue' : `/queue?view=${view}`),
  })),
  ...saved.map(({ name, href }): PaletteEntry => ({
    id: `saved ${name}`,
    group: 'views',
    words: [text.saved(''), name],
    run: to(href),
  })),
];

const ownEntries = (): PaletteEntry[] => [
  ...THEMES.map((theme): PaletteEntry => ({
    id: `theme ${theme}`,
    group: 'you',
    words: [text.theme[theme]],
    run: () => chooseTheme(theme),
  })),
  {
    id: 'keys switch',
    group: 'you',
    words: [ownKeys.on ? text.keysOff : text.keysOn],
    run: () => (ownKeys.on = !ownKeys.on),
  },
  { id: 'sign out', group: 'you', words: [shared.shell.signOut], waits: true, run: () => session.signOut() },
];
