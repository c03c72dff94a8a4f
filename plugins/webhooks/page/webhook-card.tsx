import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  number,
  Panel,
  t,
  Time,
  toast,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { AttemptsDialog } from './attempts-dialog.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { RedeliverDialog, type Webhook } from './redeliver-dialog.tsx';
import type { ShownSecret } from './secret-once.tsx';

type Tested = ReplyOf<'POST /api/webhooks/:id/test'>;

/** Whether what happened last was a failure. */
function isFailing({ delivered_at: good, failed_at: bad }: Webhook): boolean {
  return bad !== null && (good === null || bad > good);
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: ShownSecret) => void;
}

export function WebhookCard({ webhook, onSecret }: WebhookCardProps) {
  const { id, endpoint, events, waiting, reason } = webhook;
  const tested = useSignal<Tested | undefined>(undefined);
  const isTesting = useSignal(false);
  const isAsking = useSignal(false);
  const isListing = useSignal(false);
  const test = async () => {
    isTesting.value = true;
    await attempt(async () => {
      tested.value = await api('POST /api/webhooks/:id/test', { params: { id } });
    });
    isTesting.value = false;
  };
  const redeliver = async (eventId: number | null) => {
    const { queued } = await api('POST /api/webhooks/:id/redeliver', { params: { id }, body: { event_id: eventId } });
    toast(t(queued === 0 ? 'webhooks.nothingWaits' : 'webhooks.queued', { n: queued }));
    changed();
  };
  return (
    <Card title={endpoint} end={<State of={webhook} />}>
      <div class="stack">
        <dl class="facts">
          <dt>{t('webhooks.events')}</dt>
          <dd class="row">
            {events.map((each) => (
              <Badge key={each}>{each}</Badge>
            ))}
          </dd>
          <dt>{t('webhooks.waiting')}</dt>
          <dd class="number">
            {number(waiting)}
            {webhook.next_attempt_at !== null && (
              <span class="small soft">
                {' '}
                · {t('webhooks.next')} <Time at={webhook.next_attempt_at} isRelative />
              </span>
            )}
          </dd>
          <dt>{t('webhooks.delivered')}</dt>
          <dd class="number">
            <Count n={webhook.delivered} at={webhook.delivered_at} />
          </dd>
          <dt>{t('webhooks.failed')}</dt>
          <dd class="number">
            <Count n={webhook.failed} at={webhook.failed_at} />
          </dd>
          <dt>{t('webhooks.givenUp')}</dt>
          <dd class="number">{number(webhook.given_up)}</dd>
          {reason !== '' && (
            <>
              <dt>{t('webhooks.lastError')}</dt>
              <dd class="wrap">{reason}</dd>
            </>
          )}
        </dl>
        {tested.value && <TestResult of={tested.value} />}
        <div class="row">
          <Button
            isSmall
            icon="send"
            isBusy={isTesting.value}
            label={t('webhooks.testOne', { name: endpoint })}
            onClick={test}
          >
            {t('webhooks.test')}
          </Button>
          <Button
            isSmall
            icon="refresh"
            label={t('webhooks.redeliverOne', { name: endpoint })}
            onClick={() => void (isAsking.value = true)}
          >
            {t('webhooks.redeliver')}
          </Button>
          <Button
            isSmall
            icon="clock"
            label={t('webhooks.attemptsOne', { name: endpoint })}
            onClick={() => void (isListing.value = true)}
          >
            {t('webhooks.attempts')}
          </Button>
        </div>
        {webhook.editable && <EndpointActions webhook={webhook} onSecret={onSecret} />}
      </div>
      {isListing.value && <AttemptsDialog webhook={webhook} onClose={() => void (isListing.value = false)} />}
      {isAsking.value && (
        <RedeliverDialog webhook={webhook} onSend={redeliver} onClose={() => void (isAsking.value = false)} />
      )}
    </Card>
  );
}

function State({ of: webhook }: { readonly of: Webhook }) {
  if (isFailing(webhook)) return <Badge tone="bad">{t('webhooks.failing')}</Badge>;
  if (webhook.delivered_at === null) return <Badge>{t('webhooks.unused')}</Badge>;
  return <Badge tone="good">{t('webhooks.fine')}</Badge>;
}

function Count({ n, at }: { readonly n: number; readonly at: string | null }) {
  return (
    <>
      {number(n)}
      {at !== null && (
        <span class="small soft">
          {' '}
          · <Time at={at} isRelative />
        </span>
      )}
    </>
  );
}

function TestResult({ of: { accepted, status, reason, ms } }: { readonly of: Tested }) {
  const answer = status === null ? (reason ?? '') : t('webhooks.answered', { status: String(status), ms });
  return (
    <div role="status">
      <Panel
        kind={accepted ? 'accent' : 'bad'}
        icon={accepted ? 'check' : 'warn'}
        title={t(accepted ? 'webhooks.accepted' : 'webhooks.refused')}
      >
        <p class="wrap">{answer}</p>
      </Panel>
    </div>
  );
}
