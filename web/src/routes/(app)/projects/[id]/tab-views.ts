// The content of each tab of a project, loaded when the tab is opened.
import type { Component } from 'svelte';
import type { SettingsForm } from './settings/settings-form.svelte.ts';
import type { Tab } from './tabs.ts';

type View = Component<{ form: SettingsForm; userId: string }>;

export const VIEWS: Record<Tab, () => Promise<{ default: View }>> = {
  overview: () => import('./overview/Overview.svelte'),
  rules: () => import('./rules/Rules.svelte'),
  guidelines: () => import('./guidelines/Guidelines.svelte'),
  schema: () => import('./schema/AnswerSchema.svelte'),
  preview: () => import('./preview/Preview.svelte'),
  people: () => import('./people/People.svelte'),
  webhook: () => import('./webhook/Webhook.svelte'),
  notifications: () => import('./notifications/Notifications.svelte'),
  deliveries: () => import('./deliveries/Deliveries.svelte'),
  keys: () => import('./keys/Keys.svelte'),
  changes: () => import('./changes/Changes.svelte'),
  danger: () => import('./danger/Danger.svelte'),
};
