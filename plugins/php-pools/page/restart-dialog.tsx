import { api, changed, Dialog, t, toast } from '../../pages/kit/index.ts';
import type { Pool } from './columns.tsx';

interface RestartProps {
  readonly pool: Pool;
  readonly onClose: () => void;
}

/** Has new processes answer for the domains of an account. */
export function RestartDialog({ pool: { username, pool, version }, onClose }: RestartProps) {
  const restart = async () => {
    await api('POST /api/php-pools/:username/:pool/restart', { params: { username, pool } });
    toast(t('php-pools.restarted', { version, name: username }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('php-pools.restartOne', { version, name: username })}
      onClose={onClose}
      onSubmit={restart}
      submit={{ text: t('php-pools.restart') }}
    >
      <p>{t('php-pools.restartAbout')}</p>
    </Dialog>
  );
}
