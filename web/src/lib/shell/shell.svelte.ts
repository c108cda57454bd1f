// The present page's additions to the top bar. A page sets them in an effect and removes them when it closes.

interface Shell {
  /** Behind the page's name: the project, the item. */
  detail: string | null;
  /** How many changes a page holds back while it is paused. */
  heldBack: number;
  /** A notice is shown in or below the top bar: other notices there wait. */
  noticeShown: boolean;
}

export const shell: Shell = $state({ detail: null, heldBack: 0, noticeShown: false });
