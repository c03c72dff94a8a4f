import { Answer, api, Card, Meter, number, t, useQuery } from '../../pages/kit/index.ts';

const MIB_BYTES = 2 ** 20;

export default function TrafficCard() {
  const traffic = useQuery('logs.traffic', (signal) => api('GET /api/logs/traffic', { signal }));
  if (traffic.data?.counted === false) return null;
  return (
    <Card title={t('logs.traffic')}>
      <Answer of={traffic}>
        {({ bytes, requests, limit_mib: limit }) => (
          <div class="meters">
            <Meter label={t('logs.sent')} used={bytes} limit={limit * MIB_BYTES} isBytes />
            <p class="small soft">
              {t('logs.requests')}: {number(requests)}
            </p>
            {limit > 0 && bytes >= limit * MIB_BYTES && <p class="notice-bar small">{t('logs.trafficUsed')}</p>}
          </div>
        )}
      </Answer>
    </Card>
  );
}
