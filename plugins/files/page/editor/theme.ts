import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colours of texts, each of which can be read on every surface of both themes. */
export const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.tagName, tags.heading, tags.definition(tags.function(tags.variableName))], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue, tags.url], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit, tags.regexp], color: 'var(--warn)' },
  { tag: [tags.attributeName, tags.propertyName, tags.labelName], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, textDecoration: 'underline' },
]);

const CONTROL = {
  minHeight: '1.75rem',
  maxWidth: '100%',
  verticalAlign: 'middle',
  padding: '0 0.5rem',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--radius)',
  background: 'var(--surface)',
  color: 'var(--text)',
  font: 'inherit',
};
const BORDER = '1px solid var(--line)';

export const THEME = EditorView.theme({
  '&': {
    height: '55dvh',
    minHeight: '12rem',
    overflow: 'hidden',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '0.85em',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-soft)', borderRight: BORDER },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'transparent', outline: '1px solid var(--line-strong)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--warn-soft)', outline: '2px solid var(--focus)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top': { borderBottom: BORDER },
  '.cm-panels.cm-panels-bottom': { borderTop: BORDER },
  '.cm-panel.cm-search': { padding: '0.375rem 2.5rem 0.375rem 0.5rem' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '0.25rem',
    minHeight: '1.75rem',
    fontSize: 'inherit',
    verticalAlign: 'middle',
  },
  '.cm-panel.cm-search input[type=checkbox]': {
    width: '1rem',
    height: '1rem',
    margin: '0',
    accentColor: 'var(--accent-fill)',
  },
  '.cm-panel .cm-textfield': CONTROL,
  '.cm-panel .cm-button': { ...CONTROL, backgroundImage: 'none', cursor: 'pointer' },
  '.cm-panel .cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-panel :focus-visible': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close': {
    ...CONTROL,
    position: 'absolute',
    top: '0.5rem',
    right: '0.5rem',
    width: '1.75rem',
    cursor: 'pointer',
  },
});
