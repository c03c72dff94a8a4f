import { Answer, api, at, Badge, Dialog, Empty, t, Time, useQuery, type ReplyOf } from '../../pages/kit/index.ts';
import type { Webhook } from './redeliver-dialog.tsx';

type Attempt = ReplyOf<'GET /api/webhooks/:id/attempts'>['attempts'][number];

interface AttemptsProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The latest deliveries to an endpoint, each with what was sent and what was answered. */
export function AttemptsDialog({ webhook: { id, endpoint }, onClose }: AttemptsProps) {
  const latest = useQuery(`attempts ${id}`, (signal) =>
    api('GET /api/webhooks/:id/attempts', { params: { id }, signal }),
  );
  return (
    <Dialog title={t('webhooks.attemptsOne', { name: endpoint })} onClose={onClose}>
      <Answer of={latest} lines={6}>
        {({ attempts }) =>
          attempts.length === 0 ? (
            <Empty icon="send" title={t('webhooks.unused')} />
          ) : (
            <ul class="stack tight">
              {attempts.map((each, i) => (
                <AttemptLine key={`${each.event_id} ${each.at} ${i}`} attempt={each} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Dialog>
  );
}

function AttemptLine({ attempt }: { readonly attempt: Attempt }) {
  const { accepted, ms, payload, reason, status, type } = attempt;
  const events = `${at('/events')}#${new URLSearchParams([['type', type]])}`;
  return (
    <li>
      <details>
        <summary>
          <Badge tone={accepted ? 'good' : 'bad'}>{status ?? t('webhooks.noAnswer')}</Badge>{' '}
          <span class="wrap">{type}</span>{' '}
          <span class="small soft">
            <Time at={attempt.at} />
          </span>
        </summary>
        <div class="stack tight">
          <p class="small wrap">
            {status === null ? reason : t('webhooks.answered', { status: String(status), ms })} ·{' '}
            <a href={events}>{t('webhooks.event', { id: String(attempt.event_id) })}</a>
          </p>
          <h3>{t('webhooks.sent')}</h3>
          <pre class="code">{JSON.stringify(JSON.parse(payload), undefined, 2)}</pre>
          <h3>{t('webhooks.answer')}</h3>
          <pre class="code">{attempt.answer === '' ? t('webhooks.emptyAnswer') : attempt.answer}</pre>
        </div>
      </details>
    </li>
  );
}
