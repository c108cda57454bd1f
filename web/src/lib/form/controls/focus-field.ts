// Moves the focus to the field of a place, or to the nearest one around it, and unfolds what hides it.

const CONTROL = 'textarea, input:not([type=hidden]), select, button, [contenteditable=true]';

/** `pointer`: a JSON pointer into the answer. */
export function focusField(form: HTMLElement, pointer: string): void {
  const fields = [...form.querySelectorAll<HTMLElement>('[data-pointer]')];
  let at = pointer;
  let field = fields.find((each) => each.dataset.pointer === at);
  while (field === undefined && at !== '') {
    at = at.slice(0, at.lastIndexOf('/'));
    const wanted = at;
    field = fields.find((each) => each.dataset.pointer === wanted);
  }
  const within = field ?? form;
  for (let parent = within.closest('details'); parent; parent = parent.parentElement?.closest('details') ?? null)
    parent.open = true;
  const control = controlOf(within) ?? controlOf(form);
  control?.focus({ preventScroll: true });
  control?.scrollIntoView({ block: 'nearest' });
}

/** The first control that edits a value. The checked radio button of a group stands for all of them. */
function controlOf(element: HTMLElement): HTMLElement | null {
  for (const body of element.querySelectorAll<HTMLElement>('[data-control]')) {
    const control = body.querySelector<HTMLElement>('input:checked') ?? body.querySelector<HTMLElement>(CONTROL);
    if (control !== null) return control;
  }
  return element.querySelector<HTMLElement>(CONTROL);
}
