// The four pages of the rail and the tab bar.
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
}

const { pages } = appMessages.shell;

export const PAGES: readonly NavigationPage[] = [
  { path: '/projects', name: pages.projects, icon: Folder, badge: false },
  { path: '/queue', name: pages.queue, icon: Inbox, badge: true },
  { path: '/analytics', name: pages.analytics, icon: ChartLine, badge: false },
  { path: '/learnings', name: pages.learnings, icon: BookCheck, badge: false },
];
