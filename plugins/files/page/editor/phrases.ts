import { t } from '../../../pages/kit/index.ts';

/** Returns all that the editor says, by its own English. */
export const phrases = (): Readonly<Record<string, string>> => ({
  Find: t('files.editor.find'),
  Replace: t('files.editor.replace'),
  next: t('files.editor.next'),
  previous: t('files.editor.previous'),
  all: t('files.editor.all'),
  'match case': t('files.editor.case'),
  regexp: t('files.editor.regexp'),
  'by word': t('files.editor.word'),
  replace: t('files.editor.replaceOne'),
  'replace all': t('files.editor.replaceAll'),
  close: t('pages.close'),
  'Go to line': t('files.editor.line'),
  go: t('files.editor.go'),
  'current match': t('files.editor.current'),
  'on line': t('files.editor.onLine'),
  'replaced match on line $': t('files.editor.replacedLine'),
  'replaced $ matches': t('files.editor.replaced'),
  'Control character': t('files.editor.control'),
  'Selection deleted': t('files.editor.deleted'),
});
