import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { Panel } from '../feedback.tsx';
import { t } from '../text/i18n.ts';

interface ShownOnceProps {
  readonly title: string;
  readonly warning: string;
  readonly about: string;
  /** Label of the box to tick before it closes. */
  readonly saved: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** Shows a secret, and is done only once that is said to be saved: there is no second time to see it. */
export function ShownOnce({ title, warning, about, saved, children, onClose }: ShownOnceProps) {
  const isSaved = useSignal(false);
  return (
    <Dialog
      title={title}
      isKept
      onClose={onClose}
      onSubmit={async () => onClose()}
      submit={{ text: t('pages.done'), isDisabled: !isSaved.value }}
    >
      <Panel kind="warn" icon="warn" title={warning}>
        <p>{about}</p>
      </Panel>
      {children}
      <label class="row">
        <input
          type="checkbox"
          checked={isSaved.value}
          onChange={(event) => void (isSaved.value = event.currentTarget.checked)}
        />
        {saved}
      </label>
    </Dialog>
  );
}
