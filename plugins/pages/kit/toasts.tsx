import { signal } from '@preact/signals';
import { ApiError } from './server/api.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { againText, t } from './text/i18n.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo: (() => void | Promise<void>) | undefined;
}

/** Long enough to read and to reach "Undo" by keyboard. */
const SHOWN_MS = 8000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Says what was done; where it can be undone, offers that. */
export function toast(text: string, undo?: () => void | Promise<void>, isBad = false): void {
  const id = (lastId += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, isBad, undo }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Says why an action failed; 401 is not said, because the login then asks for it. */
export function toastError(cause: unknown): void {
  if (cause instanceof ApiError && cause.code === 'authentication_required') return;
  const again = cause instanceof ApiError && cause.status === 429 && cause.retryAfter;
  toast([errorText(cause), again && againText(again)].filter(Boolean).join(' · '), undefined, true);
}

/** Does something that no dialog waits for, and says why if it failed. */
export async function attempt(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    toastError(cause);
  }
}

/** Returns an error as one sentence. */
export function errorText(cause: unknown): string {
  if (!(cause instanceof ApiError)) return String(cause);
  if (cause.status === 0) return t('pages.error.unreachable');
  if (cause.code === 'invalid_request') return t('pages.error.invalid');
  return cause.message === '' ? t('pages.error.status', { status: String(cause.status) }) : cause.message;
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad, undo }) => (
        <div key={id} class={`toast ${isBad ? 'bad' : ''}`}>
          <Icon name={isBad ? 'warn' : 'check'} />
          <span class="wrap">{text}</span>
          {undo && (
            <Button
              kind="plain"
              isSmall
              onClick={async () => {
                dismiss(id);
                await Promise.resolve(undo()).catch(toastError);
              }}
            >
              {t('pages.undo')}
            </Button>
          )}
          <IconButton icon="close" label={t('pages.close')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
