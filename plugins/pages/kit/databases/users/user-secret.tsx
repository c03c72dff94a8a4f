import { ShownOnce, t } from '../../index.ts';
import type { ListedDatabases, UserWithPassword } from '../engine.ts';
import { FactsToCopy } from '../../text/facts-to-copy.tsx';

interface UserSecretProps {
  readonly secret: UserWithPassword;
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
}

/** The host of what is on the server itself; it means nothing elsewhere. */
const LOCAL = 'localhost';

/** Shows what an application needs to log in, for the only time. */
export function UserSecret({ secret, databases: { server }, onClose }: UserSecretProps) {
  const { name, password } = secret;
  const isElsewhere = server?.host === LOCAL && !['', LOCAL].includes(secret.host);
  const lines = [
    ...(isElsewhere ? [] : [[t('pages.db.host'), server?.host ?? ''] as const]),
    [t('pages.db.user'), name],
    [t('pages.password'), password],
  ] as const;
  return (
    <ShownOnce
      title={name}
      warning={t('pages.db.shownOnce')}
      about={t('pages.db.shownOnceAbout')}
      saved={t('pages.db.passwordSaved')}
      onClose={onClose}
    >
      <FactsToCopy lines={lines} />
      {isElsewhere && <p class="small">{t('pages.db.remoteHost')}</p>}
    </ShownOnce>
  );
}
