// The palette's entries: the page's commands, every page, project and view, the account; and those chosen recently.
import { commandMessages } from '#lib/keys/command-messages.ts';
import { paletteMessages as text } from '#lib/keys/panels-messages.ts';
import { keyboard } from '#lib/keys/key-listener.svelte.ts';
import { keyOf, keySettings } from '#lib/keys/key-settings.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
import { isUsable, PAGES } from '#lib/shell/navigation.ts';
import type { PaletteEntry } from '#lib/palette/entries.ts';
import { queueMessages } from '#lib/messages/queue-messages.ts';
import { session } from '#lib/auth/session.svelte.ts';
import { stopRequest } from '#lib/stop/stops.svelte.ts';
import { stopMessages } from '#lib/stop/stop-messages.ts';
import { appMessages as shared } from '#lib/messages/app-messages.ts';
import { THEMES, themeChoice } from '#lib/shell/theme.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import { QUEUE_VIEWS } from '@countersign/shared/enums';
import { isEventId } from '@countersign/shared/formats/delivery-terms';
import { SETTINGS } from '@countersign/shared/settings';
import { tabsFor } from '../projects/[id]/tabs.ts';
import { RULE_HEADINGS, type RuleAnchor } from '../projects/[id]/rules/rule-headings.ts';
import { settingsMessages, type InputName } from '../projects/[id]/settings/settings-messages.ts';
import { json, persisted } from '#lib/storage/persisted.ts';

/** Navigates to a URL of this site. */
type To = (address: string) => unknown;

const GO: Record<string, Command> = {
  '/queue': 'goQueue',
  '/projects': 'goProjects',
  '/analytics': 'goAnalytics',
  '/learnings': 'goLearnings',
};
/** Commands with an entry of their own, the palette itself, and commands that make sense only under a key. */
const ELSEWHERE = new Set<Command>(['palette', 'reason', 'down', 'up', ...Object.values(GO)]);

/** Everything that can be chosen now. */
export function paletteEntries({ projects, saved, to }: PaletteNeeds): PaletteEntry[] {
  const goesTo = (address: string) => () => to(address);
  return [
    ...commandEntries(),
    ...pageEntries(projects, goesTo),
    ...projects.flatMap((project) => entriesOfProject(project, goesTo)),
    ...viewEntries(saved, goesTo),
    ...ownEntries(),
  ];
}

/** Creates the navigation to a URL. */
type GoesTo = (address: string) => () => unknown;

interface PaletteNeeds {
  projects: readonly Project[];
  saved: readonly SavedFilterLink[];
  to: To;
}

/** A saved filter of the queue, as the palette needs it. */
export interface SavedFilterLink {
  readonly name: string;
  readonly href: string;
}

const commandEntries = (): PaletteEntry[] =>
  keyboard
    .available()
    .filter(({ command }) => !ELSEWHERE.has(command))
    .map(({ command }) => ({
      id: `do ${command}`,
      group: 'here',
      words: [commandMessages[command]],
      key: keyOf(command),
      run: () => keyboard.invoke(command),
    }));

function pageEntries(projects: readonly Project[], to: GoesTo): PaletteEntry[] {
  const usable = PAGES.filter((page) => isUsable(page, projects) !== false);
  const pages = usable.map(({ path, name }): PaletteEntry => {
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
    { id: `project ${id}`, group: 'projects', words: ['', name], exact: id, run: to(address) },
    { id: `queue ${id}`, group: 'projects', words: [text.queueOf, name], run: to(`/queue?project=${id}`) },
    ...tabs.map(({ tab, name: tabName }): PaletteEntry => ({
      id: `tab ${id} ${tab}`,
      group: 'projects',
      words: ['', name, text.tabOf(tabName)],
      rare: true,
      run: to(`${address}/${tab}`),
    })),
    ...SETTINGS_OF_RULES.map(({ setting, label, anchor }): PaletteEntry => ({
      id: `setting ${id} ${setting}`,
      group: 'projects',
      words: ['', name, text.tabOf(label)],
      rare: true,
      run: to(`${address}/rules${anchor === null ? '' : `#${anchor}`}`),
    })),
    ...(abilities.stop_project ? [stopEntry(project)] : []),
  ];
}

/** The delivery logs in which a pasted event ID can be found. */
export function deliveryEntries(
  typed: string,
  { projects, to }: Pick<PaletteNeeds, 'projects' | 'to'>,
): PaletteEntry[] {
  const event = typed.trim();
  if (!isEventId(event)) return [];
  return projects
    .filter(({ abilities }) => abilities.see_deliveries)
    .map(({ id, name }) => ({
      id: `event ${id}`,
      group: 'projects',
      words: [text.deliveriesOf(event), name],
      rare: true,
      run: () => to(`/projects/${id}/deliveries?event=${event}`),
    }));
}

interface RuleSetting {
  setting: string;
  label: string;
  /** The heading above it; null at the top of the tab. */
  anchor: RuleAnchor | null;
}

const { rules } = settingsMessages;
/** The settings and headings of the rules tab, with their labels there. */
const SETTINGS_OF_RULES: readonly RuleSetting[] = [
  ...Object.entries(RULE_HEADINGS).map(([anchor, label]) => ({
    ...{ setting: `#${anchor}`, label },
    anchor: anchor as RuleAnchor,
  })),
  { setting: 'media_hosts', label: rules.mediaHosts, anchor: 'content' },
  { setting: 'sensitive_flags', label: rules.sensitiveFlags, anchor: 'content' },
  { setting: 'content_kinds', label: rules.kinds, anchor: 'content' },
  ...(Object.keys(settingsMessages.inputs) as InputName[]).map((setting) => {
    const { section } = SETTINGS[setting];
    const { label } = settingsMessages.inputs[setting];
    return { setting, label, anchor: section === 'routing' ? null : section };
  }),
];

function stopEntry(project: Project): PaletteEntry {
  const words = project.stopped === null ? stopMessages.stop : stopMessages.release;
  return {
    id: `stop ${project.id}`,
    group: 'projects',
    words: [words.palette, project.name],
    rare: true,
    run: () => (stopRequest.project = project),
  };
}

const viewEntries = (saved: readonly SavedFilterLink[], to: GoesTo): PaletteEntry[] => [
  ...QUEUE_VIEWS.map((view): PaletteEntry => ({
    id: `view ${view}`,
    group: 'views',
    words: [text.view(queueMessages.view[view])],
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
    run: () => themeChoice.choose(theme),
  })),
  {
    id: 'keys switch',
    group: 'you',
    words: [keySettings.on ? text.keysOff : text.keysOn],
    run: () => (keySettings.on = !keySettings.on),
  },
  { id: 'sign out', group: 'you', words: [shared.shell.signOut], waits: true, run: () => session.signOut() },
];

const MAX_REMEMBERED = 20;

const ids = json<readonly string[]>((stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_REMEMBERED) : [],
);

/** The ids of recently chosen entries, newest first. Without storage only their order is lost. */
export const recentEntriesOf = (user: string) => persisted(`countersign.palette.${user}`, ids);
