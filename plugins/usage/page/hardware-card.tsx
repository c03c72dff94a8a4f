import { Answer, api, bytes, Card, ofNode, t, useQuery } from '../../pages/kit/index.ts';

/** Describes the host. */
export function HardwareCard() {
  const system = useQuery('system', (signal) => api('GET /api/usage/system', { query: ofNode(), signal }));
  return (
    <Card title={t('usage.host')}>
      <Answer of={system} lines={5}>
        {({ operating_system: os, processor, network_interfaces: networks }) => (
          <dl class="facts">
            <dt>{t('usage.name')}</dt>
            <dd class="wrap">{os.host_name}</dd>
            <dt>{t('usage.system')}</dt>
            <dd class="wrap">
              {os.distribution} {os.release} · {os.kernel}
            </dd>
            <dt>{t('usage.processor')}</dt>
            <dd class="wrap">
              {processor.manufacturer} {processor.model} · {t('usage.cores', { n: processor.cores })}
            </dd>
            {networks.map(({ name, ip4, received, sent }) => (
              <>
                <dt>{name}</dt>
                <dd class="wrap number">
                  {ip4 !== '' && `${ip4} · `}
                  {t('usage.traffic', { received: sizeText(received), sent: sizeText(sent) })}
                </dd>
              </>
            ))}
          </dl>
        )}
      </Answer>
    </Card>
  );
}

const sizeText = (size: number | null) => (size === null ? '–' : bytes(size));
