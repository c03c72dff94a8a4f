import { useSignal } from '@preact/signals';
import { api, attempt, Button, Dialog, sendRemoval, t, toast, toUnicode } from '../../pages/kit/index.ts';
import type { Certificate } from './replies.ts';

interface CertificateDialogProps {
  readonly certificate: Certificate;
  readonly isIssuing: boolean;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function CertificateDialog({ certificate, isIssuing, onChanged, onClose }: CertificateDialogProps) {
  const { domain_url: domain, names, is_own: isOwn, valid_to: until } = certificate;
  const isForced = useSignal(certificate.force_https);
  const hasHsts = useSignal(certificate.hsts);
  const params = { domain };
  const done = (text: string) => {
    toast(text);
    onChanged();
    onClose();
  };
  const save = async () => {
    const body = { force_https: isForced.value, hsts: isForced.value && hasHsts.value };
    await api('PATCH /api/certificates/:domain', { params, body });
    done(t('certificates.saved', { domain: toUnicode(domain) }));
  };
  const request = () =>
    attempt(async () => {
      await api('POST /api/certificates/:domain/request', { params });
      done(t('certificates.requested', { domain: toUnicode(domain) }));
    });
  const remove = () =>
    attempt(async () => {
      await sendRemoval('DELETE /api/certificates/:domain', { params });
      done(t('certificates.removed', { domain: toUnicode(domain) }));
    });
  return (
    <Dialog
      title={toUnicode(domain)}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('certificates.save'), isDisabled: until === null }}
    >
      {names.length > 0 && <p class="wrap">{t('certificates.names', { names: names.join(', ') })}</p>}
      {until === null && <p>{t('certificates.needed')}</p>}
      <Box isChecked={isForced.value} isDisabled={until === null} onChange={(is) => (isForced.value = is)}>
        {t('certificates.force')}
      </Box>
      <Box isChecked={hasHsts.value} isDisabled={!isForced.value} onChange={(is) => (hasHsts.value = is)}>
        {t('certificates.hsts')}
      </Box>
      <p class="row">
        {isIssuing && !isOwn && (
          <Button icon="refresh" onClick={request}>
            {t('certificates.request')}
          </Button>
        )}
        {isOwn && (
          <Button icon="trash" isBad onClick={remove}>
            {t('certificates.remove')}
          </Button>
        )}
      </p>
    </Dialog>
  );
}

interface BoxProps {
  readonly isChecked: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: string;
}

function Box({ isChecked, isDisabled, onChange, children }: BoxProps) {
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="wrap">{children}</span>
    </label>
  );
}
