import { useSignal } from '@preact/signals';
import { api, Button, changed, ConfirmDialog, sendRemoval, t, toast } from '../../pages/kit/index.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import type { Webhook } from './redeliver-dialog.tsx';
import type { ShownSecret } from './secret-once.tsx';

interface ActionsProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** Buttons for an endpoint that was added here. */
export function EndpointActions({ webhook, onSecret }: ActionsProps) {
  const { id, endpoint: name, has_previous_secret: hasPrevious } = webhook;
  const dialog = useSignal<'edit' | 'renew' | 'forget' | 'remove' | undefined>(undefined);
  const close = () => void (dialog.value = undefined);
  const renew = async () => {
    const { secret } = await api('POST /api/webhooks/:id/secret', { params: { id } });
    changed();
    close();
    onSecret({ endpoint: name, secret });
  };
  const forget = async () => {
    await sendRemoval('DELETE /api/webhooks/:id/previous-secret', { params: { id } });
    toast(t('webhooks.changed', { name }));
    changed();
    close();
  };
  const remove = async () => {
    await sendRemoval('DELETE /api/webhooks/:id', { params: { id } });
    toast(t('webhooks.removed', { name }));
    changed();
    close();
  };
  const button = (
    what: NonNullable<typeof dialog.value>,
    icon: 'edit' | 'key' | 'trash',
    label: string,
    text: string,
  ) => (
    <Button isSmall icon={icon} label={label} isBad={what === 'remove'} onClick={() => void (dialog.value = what)}>
      {text}
    </Button>
  );
  return (
    <div class="row">
      {button('edit', 'edit', t('webhooks.editOne', { name }), t('webhooks.edit'))}
      {hasPrevious
        ? button('forget', 'key', t('webhooks.forgetOne', { name }), t('webhooks.forget'))
        : button('renew', 'key', t('webhooks.renewOne', { name }), t('webhooks.renew'))}
      {button('remove', 'trash', t('webhooks.removeOne', { name }), t('webhooks.remove'))}
      {dialog.value === 'edit' && <EndpointDialog webhook={webhook} onClose={close} onSecret={onSecret} />}
      {dialog.value === 'renew' && (
        <ConfirmDialog
          title={t('webhooks.renewOne', { name })}
          action={t('webhooks.renew')}
          onConfirm={renew}
          onClose={close}
        >
          <p>{t('webhooks.renewAbout')}</p>
        </ConfirmDialog>
      )}
      {dialog.value === 'forget' && (
        <ConfirmDialog
          title={t('webhooks.forgetOne', { name })}
          action={t('webhooks.forget')}
          onConfirm={forget}
          onClose={close}
        >
          <p>{t('webhooks.forgetAbout')}</p>
        </ConfirmDialog>
      )}
      {dialog.value === 'remove' && (
        <ConfirmDialog
          title={t('webhooks.removeOne', { name })}
          action={t('webhooks.remove')}
          onConfirm={remove}
          onClose={close}
        >
          <p>{t('webhooks.removeAbout')}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
