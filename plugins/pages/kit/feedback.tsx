import type { ComponentChildren } from 'preact';
import { ApiError } from './server/api.ts';
import { Button, CopyButton } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { t } from './text/i18n.ts';
import type { Query } from './server/query.ts';
import { errorText } from './toasts.tsx';

interface PanelProps {
  readonly kind?: 'bad' | 'warn' | 'accent';
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly isAlert?: boolean;
}

export function Panel({ kind, icon, title, children, isAlert }: PanelProps) {
  return (
    <div class={`panel ${kind ?? ''}`} role={isAlert === true ? 'alert' : undefined}>
      <Icon name={icon} />
      <div>
        <p class="title wrap">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** Says what was refused or failed, why, and under which number the server's log has it. */
export function ErrorPanel({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}) {
  const { detail, requestId, isPassing } =
    error instanceof ApiError ? error : { detail: '', requestId: '', isPassing: false };
  return (
    <Panel kind="bad" icon="warn" title={errorText(error)} isAlert>
      {detail !== '' && <p class="wrap">{detail}</p>}
      {isPassing && <p class="soft">{t(onRetry ? 'pages.error.retries' : 'pages.error.again')}</p>}
      {requestId !== '' && (
        <p class="row small soft">
          {t('pages.error.request')} <code>{requestId}</code>
          <CopyButton text={requestId} what={t('pages.error.request')} />
        </p>
      )}
      {onRetry && (
        <Button isSmall icon="refresh" onClick={onRetry}>
          {t('pages.retry')}
        </Button>
      )}
    </Panel>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The next step for the reader. */
  readonly action?: ComponentChildren;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="picture">
        <Icon name={icon} />
      </span>
      <p class="title">{title}</p>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

const WIDTHS = ['62%', '88%', '74%', '52%', '81%'];

/** Lines that stand where content will be. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="stack" role="status" aria-label={t('pages.loading')}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton" style={{ width: WIDTHS[i % WIDTHS.length] ?? '60%' }} />
      ))}
    </div>
  );
}

/** Shows what was answered, also while it is asked again. An error stands in its place, or below what may be old by then. */
export function Answer<T>(props: {
  readonly of: Query<T>;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = props.of;
  if (data !== undefined)
    return (
      <>
        {props.children(data)}
        {error !== undefined && <p class="notice-bar small">{t('pages.stale', { reason: errorText(error) })}</p>}
      </>
    );
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reload} />;
  return <Skeleton lines={props.lines ?? 3} />;
}
