import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, t, toast } from '../../pages/kit/index.ts';
import type { Webhook } from './redeliver-dialog.tsx';
import type { ShownSecret } from './secret-once.tsx';

interface EndpointDialogProps {
  /** The endpoint to change; a new one without it. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

const PLAIN = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;
const listed = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '');

/** Asks for the URL of an endpoint and its events. The URL of an old one is not shown, since it may contain a secret. */
export function EndpointDialog({ webhook, onClose, onSecret }: EndpointDialogProps) {
  const url = useSignal('');
  const events = useSignal(webhook?.events.join(', ') ?? '*');
  const given = url.value.trim();
  const save = async () => {
    const wanted = listed(events.value);
    if (webhook === undefined) {
      const added = await api('POST /api/webhooks', { body: { url: given, events: wanted } });
      onSecret(added);
    } else {
      const body = { events: wanted, ...(given !== '' && { url: given }) };
      await api('PATCH /api/webhooks/:id', { params: { id: webhook.id }, body });
      toast(t('webhooks.changed', { name: webhook.endpoint }));
    }
    changed();
    onClose();
  };
  const isUrl = /^https?:\/\/./.test(given);
  const isBegun = ['https://', 'http://'].some((each) => each.startsWith(given));
  const isIncomplete = (given === '' ? webhook === undefined : !isUrl) || listed(events.value).length === 0;
  return (
    <Dialog
      title={webhook === undefined ? t('webhooks.add') : t('webhooks.editOne', { name: webhook.endpoint })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t(webhook === undefined ? 'webhooks.add' : 'pages.save'), isDisabled: isIncomplete }}
    >
      <Field
        {...PLAIN}
        inputMode="url"
        label={t('webhooks.url')}
        hint={t(webhook === undefined ? 'webhooks.urlHint' : 'webhooks.urlKept')}
        placeholder="https://"
        fault={isUrl || isBegun ? undefined : t('webhooks.urlFault')}
        value={url.value}
        onChange={(text) => (url.value = text)}
      />
      <Field
        {...PLAIN}
        label={t('webhooks.events')}
        hint={t('webhooks.eventsHint')}
        value={events.value}
        onChange={(text) => (events.value = text)}
      />
    </Dialog>
  );
}
