import { Answer, Card, CopyButton, t } from '../../pages/kit/index.ts';
import { useDashboard } from './dashboard-query.ts';

/** Where names have to point, to be copied. */
export default function ServerCard() {
  const dashboard = useDashboard();
  return (
    <Card title={t('dashboard.server')}>
      <Answer of={dashboard}>
        {({ ip_address: ip, last_ip: lastIp, ...rest }) => (
          <dl class="facts">
            {ip !== '' && <Copied name={t('dashboard.address')} text={ip} />}
            {[rest.ns1, rest.ns2, rest.ns3, rest.ns4].map((name, i) =>
              name === '' ? null : <Copied key={name} name={t('dashboard.nameServer', { n: i + 1 })} text={name} />,
            )}
            {lastIp !== '' && (
              <>
                <dt>{t('dashboard.lastLogin')}</dt>
                <dd class="wrap">{lastIp}</dd>
              </>
            )}
          </dl>
        )}
      </Answer>
    </Card>
  );
}

function Copied({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd class="row apart nowrap">
        <code class="wrap">{text}</code>
        <CopyButton text={text} what={text} />
      </dd>
    </>
  );
}
