import { Dialog } from '../../kit/form/dialog.tsx';
import { t } from '../../kit/text/i18n.ts';

const KEYS = [
  [['Ctrl', 'K'], 'pages.keys.search'],
  [['/'], 'pages.keys.search'],
  [['?'], 'pages.keys.help'],
  [['Tab'], 'pages.keys.tab'],
  [['↑', '↓'], 'pages.keys.arrows'],
  [['Enter'], 'pages.keys.enter'],
  [['Esc'], 'pages.keys.escape'],
] as const;

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t('pages.keys')} onClose={onClose}>
      <dl class="facts">
        {KEYS.map(([keys, text]) => (
          <>
            <dt class="row">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
