import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Answer, api, Button, Card, Empty, PageHead, t, useQuery } from '../../pages/kit/index.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { SecretOnce, type ShownSecret } from './secret-once.tsx';
import { WebhookCard } from './webhook-card.tsx';

const REFRESH_MS = 5000;

export default function WebhooksPage() {
  const webhooks = useQuery('webhooks', (signal) => api('GET /api/webhooks', { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && webhooks.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const isAdding = useSignal(false);
  const secret = useSignal<ShownSecret | undefined>(undefined);
  const show = (next: ShownSecret | undefined) => void (secret.value = next);
  const mayAdd = webhooks.data?.editable === true;
  return (
    <>
      <PageHead title={t('webhooks.title')} about={t('webhooks.about')}>
        {mayAdd && (
          <Button kind="primary" icon="plus" onClick={() => void (isAdding.value = true)}>
            {t('webhooks.add')}
          </Button>
        )}
      </PageHead>
      <Answer of={webhooks} lines={6}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Card>
              <Empty icon="send" title={t('webhooks.none')}>
                {t(mayAdd ? 'webhooks.noneYet' : 'webhooks.noneAbout')}
              </Empty>
            </Card>
          ) : (
            <div class="grid halves">
              {all.map((webhook) => (
                <WebhookCard key={webhook.id} webhook={webhook} onSecret={show} />
              ))}
            </div>
          )
        }
      </Answer>
      {isAdding.value && <EndpointDialog onClose={() => void (isAdding.value = false)} onSecret={show} />}
      {secret.value && <SecretOnce of={secret.value} onClose={() => show(undefined)} />}
    </>
  );
}
