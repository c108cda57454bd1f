// The form that the controls of one editor belong to.
import { createContext } from 'svelte';
import type { AnswerForm } from '../answer-form.svelte.ts';
import type { Field } from '../fields.ts';

export const [getForm, setForm] = createContext<AnswerForm>();

/** The field around a control, which knows where its value is. */
export const [getField, setField] = createContext<() => Field>();
