import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  CurrentPassword,
  Dialog,
  SecondFactor,
  sendRemoval,
  t,
  toast,
  useQuery,
} from '../../../pages/kit/index.ts';
import { SetUpTwofa } from './set-up-twofa.tsx';

export function TwofaCard() {
  const status = useQuery('twofa', (signal) => api('GET /api/account/2fa', { signal }));
  const dialog = useSignal<'on' | 'off' | undefined>(undefined);
  const close = () => {
    dialog.value = undefined;
    status.reload();
  };
  return (
    <Card
      title={t('login.twofa')}
      end={
        status.data && (
          <Badge tone={status.data.enabled ? 'good' : 'warn'}>
            {t(status.data.enabled ? 'login.on' : 'login.off')}
          </Badge>
        )
      }
    >
      <Answer of={status}>
        {({ enabled }) => (
          <div class="stack">
            <p class="soft">{t(enabled ? 'login.twofaOnAbout' : 'login.twofaOffAbout')}</p>
            <div>
              <Button
                kind={enabled ? undefined : 'primary'}
                icon="shield"
                onClick={() => void (dialog.value = enabled ? 'off' : 'on')}
              >
                {t(enabled ? 'login.twofaTurnOff' : 'login.twofaTurnOn')}
              </Button>
            </div>
          </div>
        )}
      </Answer>
      {dialog.value === 'on' && <SetUpTwofa onClose={close} />}
      {dialog.value === 'off' && <TurnOff onClose={close} />}
    </Card>
  );
}

function TurnOff({ onClose }: { readonly onClose: () => void }) {
  const [password, code] = [useSignal(''), useSignal('')];
  const turnOff = async () => {
    await sendRemoval('DELETE /api/account/2fa', { body: { password: password.value, code: code.value.trim() } });
    toast(t('login.twofaIsOff'));
    onClose();
  };
  return (
    <Dialog
      title={t('login.twofaTurnOff')}
      onClose={onClose}
      onSubmit={turnOff}
      submit={{
        text: t('login.twofaTurnOff'),
        isDanger: true,
        isDisabled: password.value === '' || code.value === '',
      }}
    >
      <p class="soft">{t('login.twofaOffWarns')}</p>
      <CurrentPassword value={password} autoFocus />
      <SecondFactor value={code} hint={t('login.codeOrRecovery')} />
    </Dialog>
  );
}
