import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, Text, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
export { languageByName } from './languages.ts';
import { COLOURS, THEME } from './theme.ts';

interface Options {
  readonly parent: HTMLElement;
  readonly document: Text;
  readonly language: Extension;
  readonly label: string;
  /** Says how to leave the editor by keys. */
  readonly hint: string;
  /** Texts of the editor, by its own English. */
  readonly phrases: Readonly<Record<string, string>>;
  readonly onChange: (document: Text) => void;
  readonly onSave: () => void;
}

/** How long Escape gives the Tab key back to the page; any other key takes it again. */
const LEAVING_MS = 600_000;

export const documentWith = (lines: readonly string[]): Text => Text.of(lines);

/** Returns one level of indentation as the text itself has it. */
function indentation(document: Text): string {
  for (const line of document.iterLines()) {
    const [, level] = /^(\t| {2,8})\S/.exec(line) ?? [];
    if (level !== undefined) return level;
  }
  return '    ';
}

/** Opens an editor in an element, under a shadow root: the policy of our pages lets style sheets be adopted there, but not written. */
export function openCodeEditor(options: Options): EditorView {
  const { parent, document, language, label, hint, phrases, onChange, onSave } = options;
  const root = parent.attachShadow({ mode: 'open' });
  const save = () => (onSave(), true);
  // The first Escape gives back the Tab key, the second one is the page's.
  let left = 0;
  const leave = (view: EditorView) => {
    if (Date.now() < left) return false;
    left = Date.now() + LEAVING_MS;
    view.setTabFocusMode(LEAVING_MS);
    return true;
  };
  const state = EditorState.create({
    doc: document,
    extensions: [
      EditorState.phrases.of(phrases),
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': hint, autocapitalize: 'none' }),
      EditorView.updateListener.of(({ docChanged, state: { doc } }) => docChanged && onChange(doc)),
      EditorView.domEventHandlers({
        keydown: ({ key }) => void (key !== 'Escape' && (left = 0)),
        blur: () => void (left = 0),
      }),
      [lineNumbers(), highlightSpecialChars(), highlightActiveLine(), bracketMatching(), highlightSelectionMatches()],
      [
        history(),
        indentOnInput(),
        indentUnit.of(indentation(document)),
        EditorState.tabSize.of(4),
        search({ top: true }),
      ],
      keymap.of([{ key: 'Mod-s', run: save, scope: 'editor search-panel', preventDefault: true }, ...searchKeymap]),
      keymap.of([{ key: 'Escape', run: leave }, indentWithTab, ...historyKeymap, ...defaultKeymap]),
      [language, syntaxHighlighting(COLOURS), THEME],
    ],
  });
  return new EditorView({ state, parent: root, root });
}
