import { ShownOnce, t } from '../index.ts';
import type { ListedDatabases, UserWithPassword } from './engine.ts';
import { FactsToCopy } from '../text/facts-to-copy.tsx';

interface UserSecretProps {
  readonly secret: UserWithPassword;
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
}

/** Shows what an application needs to log in, for the only time. */
export function UserSecret({ secret: { name, password }, databases: { server }, onClose }: UserSecretProps) {
  const lines = [
    [t('pages.db.host'), server?.host ?? ''],
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
    </ShownOnce>
  );
}
