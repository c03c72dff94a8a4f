import { useSignal } from '@preact/signals';
import {
  api,
  Button,
  CopyButton,
  CurrentPassword,
  Dialog,
  saveAs,
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
      toast(t('login.twofaIsOn'));
    }
  };
  const isReady = setup.value === undefined ? password.value !== '' : code.value.trim() !== '';
  return (
    <Dialog
      title={t('login.twofaTurnOn')}
      onClose={onClose}
      onSubmit={next}
      submit={{ text: t(setup.value === undefined ? 'login.continue' : 'pages.confirm'), isDisabled: !isReady }}
    >
      {setup.value === undefined ? (
        <CurrentPassword value={password} hint={t('login.twofaPasswordHint')} autoFocus />
      ) : (
        <>
          <p>{t('login.scan')}</p>
          <img class="qr" src={setup.value.qr} alt={t('login.qr')} />
          <p class="row">
            <span class="soft">{t('login.secret')}</span>
            <code class="wrap">{setup.value.secret}</code>
            <CopyButton text={setup.value.secret} what={t('login.secret')} />
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
      title={t('login.recovery')}
      warning={t('login.recoveryOnce')}
      about={t('login.recoveryAbout')}
      saved={t('login.saved')}
      onClose={onClose}
    >
      <ul class="codes" aria-label={t('login.recovery')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={text} what={t('login.recovery')} />
        <Button
          isSmall
          icon="download"
          onClick={() => saveAs('hostkeep-recovery-codes.txt', new Blob([`${text}\n`], { type: 'text/plain' }))}
        >
          {t('login.download')}
        </Button>
        <Button isSmall onClick={() => print()}>
          {t('login.print')}
        </Button>
      </div>
    </ShownOnce>
  );
}
