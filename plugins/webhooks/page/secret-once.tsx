import { ShownOnce, t, TextToCopy } from '../../pages/kit/index.ts';

/** A secret that was just made, and whose it is. */
export interface ShownSecret {
  readonly endpoint: string;
  readonly secret: string;
}

interface SecretOnceProps {
  readonly of: ShownSecret;
  readonly onClose: () => void;
}

/** Shows the secret of an endpoint, for the only time. */
export function SecretOnce({ of: { endpoint, secret }, onClose }: SecretOnceProps) {
  return (
    <ShownOnce
      title={t('webhooks.secretOf', { name: endpoint })}
      warning={t('webhooks.shownOnce')}
      about={t('webhooks.shownOnceAbout')}
      saved={t('webhooks.secretSaved')}
      onClose={onClose}
    >
      <TextToCopy text={secret} what={t('webhooks.secret')} />
    </ShownOnce>
  );
}
