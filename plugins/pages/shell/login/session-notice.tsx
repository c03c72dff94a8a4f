import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { t } from '../../kit/text/i18n.ts';
import { hasEnded, isUnreachable, logOut, refreshSession, session } from '../../kit/server/session.ts';
import { toastError } from '../../kit/toasts.tsx';
import { LoginDialog } from './login.tsx';

/** How long before its end a session is said to end. */
const WARNED_MS = 120_000;

/** Notices about the whole page: nobody answers, or the session is about to end. */
export function SessionNotice() {
  const leftMs = useSignal(Number.POSITIVE_INFINITY);
  const isRenewing = useSignal(false);
  const end = Date.parse(session.value?.expires_at ?? '');
  useEffect(() => {
    const look = () => {
      leftMs.value = end - Date.now();
      if (leftMs.value <= 0 && !hasEnded.value) void refreshSession();
    };
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [end]);
  const seconds = Math.max(0, Math.ceil(leftMs.value / 1000));
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const by = session.value?.opened_by ?? null;
  if (!isUnreachable.value && by === null && (leftMs.value >= WARNED_MS || hasEnded.value)) return null;
  return (
    <aside aria-label={t('pages.notices')}>
      {by !== null && !hasEnded.value && (
        <div class="notice-bar opened">
          <span class="wrap">{t('pages.openedBy', { by, name: session.value?.username ?? '' })}</span>
          <Button isSmall onClick={() => logOut().catch(toastError)}>
            {t('pages.leave')}
          </Button>
        </div>
      )}
      {isUnreachable.value && (
        <div class="notice-bar" role="status">
          {t('pages.unreachable')}
        </div>
      )}
      {leftMs.value < WARNED_MS && !hasEnded.value && (
        <div class="notice-bar">
          <span role="status">{t('pages.ends')}</span>
          <span class="number" role="timer">
            {left}
          </span>
          <Button isSmall onClick={() => void (isRenewing.value = true)}>
            {t('pages.stay')}
          </Button>
        </div>
      )}
      {isRenewing.value && <LoginDialog onClose={() => (isRenewing.value = false)} />}
    </aside>
  );
}
