// JSON in CodeMirror: folding, search, rendering only where visible. Loaded on demand; never part of the first load.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { JsonFault } from './json-fault.ts';
import { spanOf } from './keep-spelling.ts';
import { parseJson } from './lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { HIDDEN } from '../text/segments.ts';

export interface CodeOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  /** The accessible name. */
  readonly label: string;
  readonly readOnly: boolean;
  readonly wrap?: boolean;
  /** An empty text is not marked. */
  readonly mayBeEmpty?: boolean;
  /** Called with the text after every typed change. */
  readonly ontyped?: (text: string) => void;
  /** What is wrong in a value that is valid JSON, marked in the margin: a JSON pointer and a sentence. */
  readonly judge?: Judge;
}

export type Judge = (value: Json) => readonly { readonly pointer: string; readonly message: string }[];

export interface Code {
  /** Replaces the text; the typed text before can be restored with undo. */
  set(text: string): void;
  wrap(on: boolean): void;
  find(): void;
  focus(): void;
  /** Selects the value at a JSON pointer and moves the focus there. The text must be valid JSON. */
  show(pointer: string): void;
  close(): void;
}

/** Opens an editor inside an element. */
export function openCode({ parent, text, label, readOnly, wrap = true, ...options }: CodeOptions): Code {
  const { ontyped } = options;
  const wrapping = new Compartment();
  const changeListener = EditorView.updateListener.of((update) => {
    if (update.docChanged) ontyped?.(update.state.doc.toString());
  });
  const extensions = [
    COMMON,
    wrapping.of(wrap ? EditorView.lineWrapping : []),
    EditorView.contentAttributes.of({ ...REACHED, 'aria-label': label, 'aria-readonly': String(readOnly) }),
    readOnly
      ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
      : [WRITING, changeListener, marksOf(options)],
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  return {
    set: (next) => {
      const { doc } = view.state;
      if (doc.toString() !== next) view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
    },
    wrap: (on) => view.dispatch({ effects: wrapping.reconfigure(on ? EditorView.lineWrapping : []) }),
    find: () => openSearchPanel(view),
    focus: () => {
      view.focus();
      view.dispatch({ selection: { anchor: view.state.doc.length } });
    },
    show: (pointer) => {
      const { from, to } = markOf(view.state.doc.toString(), pointer);
      view.focus();
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    },
    close: () => view.destroy(),
  };
}

/** Reachable by Tab, whether editable or not. */
const REACHED = { tabindex: '0', spellcheck: 'false' };

/** The marked characters: all that hide or reorder text, except the selector that makes a character an emoji. */
const MARKED = new RegExp(`(?!(?<=\\p{Extended_Pictographic})\\uFE0F)(?:${HIDDEN.source})`, 'u');

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--t2)' },
  { tag: tags.string, color: 'var(--t1)' },
  { tag: tags.number, color: 'var(--auto)' },
  { tag: [tags.bool, tags.null], color: 'var(--escalated)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--t3)' },
]);

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--t1)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '22px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--t1)', padding: '10px 0' },
  '.cm-content:focus-visible': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--t1)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--t3)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-s) !important' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--band)' },
  '.cm-searchMatch': { backgroundColor: 'var(--ins)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--escalated)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--s0)', border: '1px solid var(--line2)', color: 'var(--t2)' },
  '.cm-panels': { backgroundColor: 'var(--s1)', color: 'var(--t1)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search': { fontSize: '12px' },
  '.cm-textfield, .cm-button': {
    minHeight: '24px',
    color: 'var(--t1)',
    backgroundColor: 'var(--s2)',
    backgroundImage: 'none',
    border: '1px solid var(--line3)',
    borderRadius: '6px',
  },
  '.cm-tooltip': { backgroundColor: 'var(--s2)', color: 'var(--t1)', border: '1px solid var(--line2)' },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)', fontSize: '12px', borderLeftColor: 'var(--rejected)' },
});

/** The page submits with this key, so the editor must not insert a line break with it. */
const KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

const COMMON: Extension = [
  lineNumbers(),
  foldGutter(),
  codeFolding(),
  highlightSpecialChars({ addSpecialChars: MARKED }),
  drawSelection(),
  bracketMatching(),
  search({ top: true }),
  json(),
  syntaxHighlighting(COLOURS),
  LOOK,
  keymap.of([...searchKeymap, ...foldKeymap]),
];

const WRITING: Extension = [history(), keymap.of([...KEYS, ...historyKeymap])];

const marksOf = ({ judge, mayBeEmpty = false }: Pick<CodeOptions, 'judge' | 'mayBeEmpty'>): Extension => [
  linter(({ state: { doc } }) => (mayBeEmpty && /^\s*$/.test(doc.toString()) ? [] : faultsOf(doc.toString(), judge)), {
    delay: 250,
  }),
  judge === undefined ? [] : lintGutter(),
];

/** The value at a pointer; an object or a list is marked where it opens. */
function markOf(text: string, pointer: string): { from: number; to: number } {
  const { from, to } = spanOf(text, pointer);
  return { from, to: /[[{]/.test(text[from] ?? '') ? from + 1 : to };
}

function faultsOf(text: string, judge: Judge = () => []): Diagnostic[] {
  try {
    return judge(parseJson(text)).map(({ pointer, message }) => {
      return { ...markOf(text, pointer), severity: 'error', message };
    });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const from = Math.min(error.at, text.length);
    return [{ from, to: Math.min(from + 1, text.length), severity: 'error', message: error.message }];
  }
}
