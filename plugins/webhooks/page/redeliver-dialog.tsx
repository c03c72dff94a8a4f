import { useSignal } from '@preact/signals';
import { Choices, Dialog, Field, t, type ReplyOf } from '../../pages/kit/index.ts';

export type Webhook = ReplyOf<'GET /api/webhooks'>['webhooks'][number];

interface RedeliverProps {
  readonly webhook: Webhook;
  /** `null` stands for all that waits. */
  readonly onSend: (eventId: number | null) => Promise<void>;
  readonly onClose: () => void;
}

export function RedeliverDialog({ webhook: { endpoint, waiting }, onSend, onClose }: RedeliverProps) {
  const what = useSignal<'waiting' | 'event'>(waiting > 0 ? 'waiting' : 'event');
  const id = useSignal('');
  const isWaiting = what.value === 'waiting';
  const send = async () => {
    await onSend(isWaiting ? null : Number(id.value));
    onClose();
  };
  return (
    <Dialog
      title={t('webhooks.redeliverOne', { name: endpoint })}
      onClose={onClose}
      onSubmit={send}
      submit={{ text: t('webhooks.redeliver'), isDisabled: !isWaiting && !/^[1-9]\d{0,14}$/.test(id.value.trim()) }}
    >
      <Choices
        label={t('webhooks.redeliver')}
        value={what.value}
        of={[
          ['waiting', t('webhooks.allWaiting', { n: waiting })],
          ['event', t('webhooks.oneEvent')],
        ]}
        onChange={(next) => (what.value = next)}
      />
      {!isWaiting && (
        <Field
          label={t('webhooks.eventNumber')}
          hint={t('webhooks.eventHint')}
          value={id.value}
          onChange={(text) => (id.value = text)}
          inputMode="numeric"
          autocomplete="off"
        />
      )}
    </Dialog>
  );
}
