import { ShownOnce, t, type ReplyOf } from '../../pages/kit/index.ts';
import { FactsToCopy } from './facts-to-copy.tsx';

export type Secret = ReplyOf<'POST /api/database-users'>;
interface UserSecretProps {
  readonly secret: Secret;
  readonly databases: ReplyOf<'GET /api/databases'>;
  readonly onClose: () => void;
}

/** Shows what an application needs to log in, for the only time. */
export function UserSecret({ secret: { name, password }, databases: { server }, onClose }: UserSecretProps) {
  const lines = [
    [t('mysql.host'), server?.host ?? ''],
    [t('mysql.user'), name],
    [t('pages.password'), password],
  ] as const;
  return (
    <ShownOnce
      title={name}
      warning={t('mysql.shownOnce')}
      about={t('mysql.shownOnceAbout')}
      saved={t('mysql.passwordSaved')}
      onClose={onClose}
    >
      <FactsToCopy lines={lines} />
    </ShownOnce>
  );
}
