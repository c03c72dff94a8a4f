import { useSignal } from '@preact/signals';
import {
  api,
  Button,
  CopyButton,
  CurrentPassword,
  Dialog,
  SecondFactor,
  ShownOnce,
  t,
  toast,
  type ReplyOf,
} from '../../../pages/kit/index.ts';

type Setup = ReplyOf<'POST /api/account/2fa/setup'>;

/** Password, then the secret and a first code, then the recovery codes, which are shown once. */
export function SetUpTwofa({ onClose }: { readonly onClose: () => void }) {
  const [password, code] = [useSignal(''), useSignal('')];
  const setup = useSignal<Setup | undefined>(undefined);
  const codes = useSignal<readonly string[] | undefined>(undefined);
  if (codes.value !== undefined) return <RecoveryCodes codes={codes.value} onClose={onClose} />;
  const next = async () => {
    if (setup.value === undefined)
      setup.value = await api('POST /api/account/2fa/setup', { body: { password: password.value } });
    else {
      const confirmed = await api('POST /api/account/2fa/confirm', { body: { code: code.value.trim() } });
      codes.value = confirmed.recovery_codes;
      toast(t('account.twofaIsOn'));
    }
  };
  const isReady = setup.value === undefined ? password.value !== '' : code.value.trim() !== '';
  return (
    <Dialog
      title={t('account.twofaTurnOn')}
      onClose={onClose}
      onSubmit={next}
      submit={{ text: t(setup.value === undefined ? 'account.continue' : 'pages.confirm'), isDisabled: !isReady }}
    >
      {setup.value === undefined ? (
        <CurrentPassword value={password} hint={t('account.twofaPasswordHint')} autoFocus />
      ) : (
        <>
          <p>{t('account.scan')}</p>
          <img class="qr" src={setup.value.qr} alt={t('account.qr')} />
          <p class="row">
            <span class="soft">{t('account.secret')}</span>
            <code class="wrap">{setup.value.secret}</code>
            <CopyButton text={setup.value.secret} what={t('account.secret')} />
          </p>
          <SecondFactor value={code} isFromApp autoFocus />
        </>
      )}
    </Dialog>
  );
}

function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const text = codes.join('\n');
  return (
    <ShownOnce
      title={t('account.recovery')}
      warning={t('account.recoveryOnce')}
      about={t('account.recoveryAbout')}
      saved={t('account.saved')}
      onClose={onClose}
    >
      <ul class="codes" aria-label={t('account.recovery')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={text} what={t('account.recovery')} />
        <Button isSmall icon="download" onClick={() => download(text)}>
          {t('account.download')}
        </Button>
        <Button isSmall onClick={() => print()}>
          {t('account.print')}
        </Button>
      </div>
    </ShownOnce>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'hostkeep-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
}
