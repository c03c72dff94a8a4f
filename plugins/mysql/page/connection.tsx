import { Card, t, type ReplyOf } from '../../pages/kit/index.ts';
import { FactsToCopy } from './facts-to-copy.tsx';

type Server = NonNullable<ReplyOf<'GET /api/databases'>['server']>;

/** Shows where applications find the server. */
export function Connection({ server: { host, port, socket } }: { readonly server: Server }) {
  const lines = [
    [t('mysql.host'), host] as const,
    ...(port === 0 ? [] : [[t('mysql.port'), String(port)] as const]),
    ...(socket === '' ? [] : [[t('mysql.socket'), socket] as const]),
  ];
  return (
    <Card title={t('mysql.connection')}>
      <FactsToCopy lines={lines} />
    </Card>
  );
}
