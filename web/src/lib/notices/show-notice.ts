// Shows a notice through the browser, and asks for its permission.

/** `closed`: the browser's question was closed without an answer. */
export type Permission = 'granted' | 'denied' | 'closed' | 'unsupported';

const isSupported = (): boolean => typeof Notification === 'function' && window.isSecureContext;

/** What the browser allows now, without asking. */
export function presentPermission(): Permission {
  if (!isSupported()) return 'unsupported';
  return Notification.permission === 'default' ? 'closed' : Notification.permission;
}

/** Asks the user, who has just pressed a button: browsers ask at nothing less. */
export async function askPermission(): Promise<Permission> {
  if (!isSupported()) return 'unsupported';
  await Notification.requestPermission();
  return presentPermission();
}

export interface ShownNotice {
  title: string;
  body: string;
  /** A later notice with the same tag replaces this one. */
  tag: string;
  onclick: () => void;
}

/** Needs the permission. Returns whether the browser took it: some phones have notifications and refuse them to a page. */
export function showNotice({ title, body, tag, onclick }: ShownNotice): boolean {
  // A replaced notice is announced as a new one is. Not every browser, nor every list of its options, knows this.
  const options: NotificationOptions & { renotify: boolean } = { body, tag, renotify: true };
  try {
    const notice = new Notification(title, options);
    notice.onclick = () => {
      window.focus();
      notice.close();
      onclick();
    };
    return true;
  } catch {
    return false;
  }
}
