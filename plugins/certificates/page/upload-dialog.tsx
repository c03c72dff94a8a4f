import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { api, Dialog, t, toast, toUnicode } from '../../pages/kit/index.ts';

interface UploadDialogProps {
  readonly domain: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function UploadDialog({ domain, onChanged, onClose }: UploadDialogProps) {
  const certificate = useSignal('');
  const key = useSignal('');
  const upload = async () => {
    const body = { certificate: certificate.value, private_key: key.value };
    await api('PUT /api/certificates/:domain', { params: { domain }, body });
    toast(t('certificates.uploaded', { domain: toUnicode(domain) }));
    onChanged();
    onClose();
  };
  return (
    <Dialog
      title={t('certificates.uploadFor', { domain: toUnicode(domain) })}
      onClose={onClose}
      onSubmit={upload}
      submit={{
        text: t('certificates.upload'),
        isDisabled: certificate.value.trim() === '' || key.value.trim() === '',
      }}
    >
      <Pem
        label={t('certificates.certificate')}
        hint={t('certificates.certificateHint')}
        value={certificate.value}
        onChange={(text) => (certificate.value = text)}
      />
      <Pem
        label={t('certificates.key')}
        hint={t('certificates.keyHint')}
        value={key.value}
        onChange={(text) => (key.value = text)}
      />
    </Dialog>
  );
}

interface PemProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Pem({ label, hint, value, onChange }: PemProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        class="input mono"
        rows={6}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
    </div>
  );
}
