// The keys of a form that is open beside other commands of its page: Ctrl or Cmd with Enter sends it, Escape closes it.
import { composing } from './press.ts';

interface FormKeys {
  readonly send: () => unknown;
  readonly close: () => unknown;
}

/** Handles `keydown` inside the form. The page does not see these keys: it would close or send something else. */
export const formKeys =
  ({ send, close }: FormKeys) =>
  (event: KeyboardEvent): void => {
    const sends = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (composing(event) || (event.key !== 'Escape' && !sends)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (sends) send();
    else close();
  };
