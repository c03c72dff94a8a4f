import { at, CopyButton, Dialog, t, Time } from '../../pages/kit/index.ts';
import type { LoggedEvent } from './event-line.tsx';

/** All that is known about an event, and where else it leads. */
export function EventDialog({ event, onClose }: { readonly event: LoggedEvent; readonly onClose: () => void }) {
  const { id, type, username, account_id: accountId, ip, node, data } = event;
  const json = JSON.stringify(data, undefined, 2);
  const filter = (name: string, value: string) => `${at('/events')}#${new URLSearchParams([[name, value]])}`;
  return (
    <Dialog title={event.summary} onClose={onClose}>
      <dl class="facts">
        <dt>{t('events.time')}</dt>
        <dd>
          <Time at={event.at} />
        </dd>
        <dt>{t('events.type')}</dt>
        <dd>
          <a class="wrap" href={filter('type', type)} onClick={onClose}>
            {type}
          </a>
        </dd>
        <dt>{t('events.account')}</dt>
        <dd class="wrap">
          {accountId === null ? (
            username || '–'
          ) : (
            <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a>
          )}
        </dd>
        <dt>{t('events.address')}</dt>
        <dd>
          {ip === '' ? (
            t('events.commandLine')
          ) : (
            <a class="wrap" href={filter('ip', ip)} onClick={onClose}>
              {ip}
            </a>
          )}
        </dd>
        {node !== null && (
          <>
            <dt>{t('pages.node')}</dt>
            <dd>
              <a class="wrap" href={filter('node', node)} onClick={onClose}>
                {node}
              </a>
            </dd>
          </>
        )}
        <dt>{t('events.number')}</dt>
        <dd class="row">
          <code>{id}</code>
          <CopyButton text={String(id)} what={t('events.number')} />
        </dd>
      </dl>
      {json !== '{}' && (
        <div class="stack tight">
          <h3>{t('events.data')}</h3>
          <pre class="code">{json}</pre>
        </div>
      )}
    </Dialog>
  );
}
