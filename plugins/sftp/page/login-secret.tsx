import { FactsToCopy, ShownOnce, t } from '../../pages/kit/index.ts';
import { hostOf } from './server.ts';
import type { Secret, Sftp } from './replies.ts';

interface LoginSecretProps {
  readonly secret: Secret;
  readonly server: Sftp['server'];
  readonly onClose: () => void;
}

/** Shows what a client needs to log in, for the only time. */
export function LoginSecret({ secret: { login, password }, server, onClose }: LoginSecretProps) {
  const lines = [
    [t('sftp.host'), hostOf(server)],
    [t('sftp.port'), String(server.port)],
    [t('sftp.user'), login.login],
    [t('pages.password'), password ?? ''],
  ] as const;
  return (
    <ShownOnce
      title={login.login}
      warning={t('sftp.shownOnce')}
      about={t('sftp.shownOnceAbout')}
      saved={t('sftp.passwordSaved')}
      onClose={onClose}
    >
      <FactsToCopy lines={lines} />
    </ShownOnce>
  );
}
