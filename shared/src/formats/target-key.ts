// What identifies the target of a notification (NO1): its kind and its URL.
import type { NotificationKind } from '../enums.ts';

/** Equal for two targets exactly if they are the same one. No kind contains a space. */
export const targetKey = ({ kind, url }: { kind: NotificationKind; url: string }): string => `${kind} ${url}`;
