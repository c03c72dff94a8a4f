import { Card, t } from '../index.ts';
import type { ListedDatabases } from './engine.ts';
import { FactsToCopy } from '../text/facts-to-copy.tsx';

type Server = NonNullable<ListedDatabases['server']>;

/** Shows where applications find the server. */
export function Connection({ server: { host, port, socket } }: { readonly server: Server }) {
  const lines = [
    [t('pages.db.host'), host] as const,
    ...(port === 0 ? [] : [[t('pages.db.port'), String(port)] as const]),
    ...(socket === '' ? [] : [[t('pages.db.socket'), socket] as const]),
  ];
  return (
    <Card title={t('pages.db.connection')}>
      <FactsToCopy lines={lines} />
    </Card>
  );
}
