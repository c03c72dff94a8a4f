import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../button.tsx';
import { ErrorPanel, Panel } from '../feedback.tsx';
import { Field } from './field.tsx';
import { t } from '../text/i18n.ts';
import { openDialogs, withdrawn } from './withdrawn.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly isLarge?: boolean;
  /** Whether only its button closes it, because what it shows is gone afterwards. */
  readonly isKept?: boolean;
  /** The button that does it; without one, the dialog only shows. */
  readonly submit?: { readonly text: string; readonly isDanger?: boolean; readonly isDisabled?: boolean };
  /** Does it; the dialog shows what it rejects with, and keeps what was typed. */
  readonly onSubmit?: () => Promise<void>;
}

const FIRST = ':is(input, select, textarea, button):enabled, a[href]';

/** A modal dialog: the browser keeps the focus in it, closes it with Escape, and returns the focus. */
export function Dialog({ title, children, onClose, isLarge, isKept, submit, onSubmit }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const state = useSignal<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  // Before the next key, which would go elsewhere. The browser would choose the part that scrolls.
  useLayoutEffect(() => {
    ref.current?.showModal();
    ref.current?.querySelector<HTMLElement>(FIRST)?.focus();
  }, []);
  useEffect(() => {
    openDialogs.value += 1;
    return () => void (openDialogs.value -= 1);
  }, []);
  const run = async (event: Event) => {
    event.preventDefault();
    if (onSubmit === undefined || state.value.isBusy || submit?.isDisabled === true) return;
    state.value = { isBusy: true };
    try {
      await onSubmit();
      state.value = { isBusy: false };
    } catch (error) {
      state.value = { isBusy: false, error };
    }
  };
  return (
    <dialog
      ref={ref}
      class={isLarge === true ? 'large' : undefined}
      aria-labelledby={id}
      onClose={onClose}
      // The key itself, because the browser lets a second Escape through whatever `cancel` says.
      onKeyDown={(event) => isKept === true && event.key === 'Escape' && event.preventDefault()}
    >
      <form onSubmit={run} noValidate>
        <div class="dialog-body">
          <h2 id={id} class="wrap">
            {title}
          </h2>
          {children}
          {withdrawn.value === undefined ? (
            state.value.error !== undefined && <ErrorPanel error={state.value.error} />
          ) : (
            <Panel kind="warn" icon="warn" title={t('pages.switchedOff', { title: withdrawn.value })} isAlert>
              <p>{t('pages.switchedOffAbout')}</p>
              {submit && <p>{t('pages.notSent')}</p>}
            </Panel>
          )}
        </div>
        <div class="dialog-end">
          {isKept !== true && (
            <Button onClick={() => ref.current?.close()}>
              {t(submit === undefined ? 'pages.close' : 'pages.cancel')}
            </Button>
          )}
          {submit && (
            <Button
              type="submit"
              kind={submit.isDanger === true ? 'danger' : 'primary'}
              isBusy={state.value.isBusy}
              isDisabled={submit.isDisabled === true || withdrawn.value !== undefined}
            >
              {submit.text}
            </Button>
          )}
        </div>
      </form>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  /** Text to type before something is destroyed. */
  readonly name?: string;
  /** Another form of the name, which counts as well. */
  readonly orName?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function ConfirmDialog({ title, children, action, name, orName, onConfirm, onClose }: ConfirmProps) {
  const typed = useSignal('');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={onConfirm}
      submit={{
        text: action,
        isDanger: true,
        isDisabled: name !== undefined && ![name, orName].includes(typed.value.trim()),
      }}
    >
      {children}
      {name !== undefined && (
        <Field
          label={t('pages.typeName', { name })}
          value={typed.value}
          onChange={(value) => (typed.value = value)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    </Dialog>
  );
}
