import { useSignal } from '@preact/signals';
import { api, Dialog, LinesField, t, toast, toUnicode } from '../../pages/kit/index.ts';

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
      <LinesField
        isMono
        rows={6}
        label={t('certificates.certificate')}
        hint={t('certificates.certificateHint')}
        value={certificate.value}
        onChange={(text) => (certificate.value = text)}
      />
      <LinesField
        isMono
        rows={6}
        label={t('certificates.key')}
        hint={t('certificates.keyHint')}
        value={key.value}
        onChange={(text) => (key.value = text)}
      />
    </Dialog>
  );
}
