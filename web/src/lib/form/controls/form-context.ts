// The form that the controls of one editor belong to.
import { createContext } from 'svelte';
import type { AnswerForm } from '../answer-form.svelte.ts';

export const [getForm, setForm] = createContext<AnswerForm>();
