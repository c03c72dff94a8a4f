import { Answer, Card, CopyButton, t } from '../../pages/kit/index.ts';
import { useDashboard } from './dashboard-query.ts';

/** Where names have to point, to be copied. */
export default function ServerCard() {
  const dashboard = useDashboard();
  return (
    <Card title={t('dashboard.server')}>
      <Answer of={dashboard}>
        {({ ip_address: ip, last_ip: lastIp, ...rest }) => (
          <dl class="stack tight">
            <Copied name={t('dashboard.address')} texts={[ip]} />
            <Copied name={t('dashboard.nameServers')} texts={[rest.ns1, rest.ns2, rest.ns3, rest.ns4]} />
            {lastIp !== '' && (
              <>
                <dt class="small soft">{t('dashboard.lastLogin')}</dt>
                <dd class="wrap">{lastIp}</dd>
              </>
            )}
          </dl>
        )}
      </Answer>
    </Card>
  );
}

function Copied({ name, texts }: { readonly name: string; readonly texts: readonly string[] }) {
  const known = texts.filter((text) => text !== '');
  if (known.length === 0) return null;
  return (
    <>
      <dt class="small soft">{name}</dt>
      {known.map((text) => (
        <dd key={text} class="row apart nowrap">
          <code class="wrap">{text}</code>
          <CopyButton text={text} what={text} />
        </dd>
      ))}
    </>
  );
}
