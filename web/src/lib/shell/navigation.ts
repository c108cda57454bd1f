// The pages of the rail and the tab bar, and which of them a person can use.
import type { Project } from '@countersign/shared/schemas/projects';
import type { Ability } from '@countersign/shared/enums';
import type { LucideIcon } from '@lucide/svelte';
import BookCheck from '@lucide/svelte/icons/book-open-check';
import ChartLine from '@lucide/svelte/icons/chart-line';
import Folder from '@lucide/svelte/icons/folder';
import Inbox from '@lucide/svelte/icons/inbox';
import { appMessages } from '../messages/app-messages.ts';

export interface NavigationPage {
  path: string;
  name: string;
  icon: LucideIcon;
  /** Shows how many items wait. */
  badge: boolean;
  /** What a person must be able to do in one of their projects to use it; null: everybody can. */
  needs: Ability | null;
}

const { pages } = appMessages.shell;

export const PAGES: readonly NavigationPage[] = [
  { path: '/projects', name: pages.projects, icon: Folder, badge: false, needs: null },
  { path: '/queue', name: pages.queue, icon: Inbox, badge: true, needs: null },
  { path: '/analytics', name: pages.analytics, icon: ChartLine, badge: false, needs: 'see_analytics' },
  { path: '/learnings', name: pages.learnings, icon: BookCheck, badge: false, needs: 'see_learnings' },
];

/**
 * Whether the page answers a person with these projects; null while that is unknown. To a person without any project every
 * page is open: they will own their first one.
 */
export function isUsable(
  { needs }: NavigationPage,
  projects: readonly Pick<Project, 'abilities'>[] | null,
): boolean | null {
  if (needs === null) return true;
  if (projects === null) return null;
  return projects.length === 0 || projects.some(({ abilities }) => abilities[needs]);
}
