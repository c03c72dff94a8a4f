import type { ComponentChildren } from 'preact';
import {
  Answer,
  api,
  Badge,
  Card,
  CopyButton,
  mayUse,
  number,
  PageHead,
  t,
  useQuery,
  type Query,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Plan = ReplyOf<'GET /api/system/hosting/plan'>;

export default function PlanPage() {
  const plan = useQuery('plan', (signal) => api('GET /api/system/hosting/plan', { signal }));
  const server = useQuery('server', (signal) => api('GET /api/system/hosting/info', { signal }));
  const ports = useQuery('ports', (signal) => api('GET /api/system/hosting/ports', { signal }));
  return (
    <>
      <PageHead title={t('hosting.title')} about={t('hosting.about')} />
      <div class="grid">
        <Card title={t('hosting.limits')}>
          <Answer of={plan} lines={8}>
            {(data) => <Limits plan={data} />}
          </Answer>
        </Card>
        <div class="stack">
          <Card title={t('hosting.server')}>
            <Answer of={server} lines={6}>
              {({ ip, node, distribution, processor, uptime, load_avg: load }) => (
                <dl class="facts">
                  <Fact name={t('hosting.address')} copies={ip}>
                    {ip}
                  </Fact>
                  <Fact name={t('hosting.host')}>{node}</Fact>
                  {distribution !== '' && <Fact name={t('hosting.system')}>{distribution}</Fact>}
                  <Fact name={t('hosting.processor')}>{processor}</Fact>
                  <Fact name={t('hosting.uptime')}>{uptime}</Fact>
                  <Fact name={t('hosting.load')}>{load}</Fact>
                </dl>
              )}
            </Answer>
          </Card>
          {plan.data && <NameServers plan={plan.data} />}
          <Ports ports={ports} />
        </div>
      </div>
    </>
  );
}

function Fact(props: { readonly name: string; readonly copies?: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd class="row nowrap">
        <span class="wrap">{props.children}</span>
        {props.copies !== undefined && props.copies !== '' && <CopyButton text={props.copies} what={props.name} />}
      </dd>
    </>
  );
}

function Limits({ plan }: { readonly plan: Plan }) {
  const unlimited = <Badge>{t('hosting.unlimited')}</Badge>;
  const count = (limit: number) => (limit === 0 ? unlimited : number(limit));
  const text = (limit: string) => (limit === '0' ? unlimited : limit);
  // A GB of this API has 2^30 bytes, which the other pages call GiB.
  const size = (limit: string) => text(limit.replace(/ GB$/, ' GiB'));
  /** Each with the feature without which it limits nothing. */
  const counted = [
    [t('hosting.domains'), plan.plan_domains_limit, 'domains'],
    [t('hosting.names'), plan.plan_names_limit, 'domains'],
    [t('hosting.websites'), plan.plan_websites_limit, 'websites'],
    [t('hosting.databases'), plan.plan_db_limit, 'mysql'],
    [t('hosting.mailboxes'), plan.plan_email_limit, 'emails'],
    [t('hosting.ftp'), plan.plan_ftp_limit, 'ftp'],
  ] as const;
  return (
    <div class="stack">
      <div>
        <h3>{plan.plan_name}</h3>
        <p class="soft wrap">{plan.plan_description}</p>
      </div>
      <dl class="facts">
        <Fact name={t('hosting.disk')}>{size(plan.plan_disk_limit)}</Fact>
        <Fact name={t('hosting.inodes')}>{count(plan.plan_inodes_limit)}</Fact>
        <Fact name={t('hosting.memory')}>{size(plan.plan_ram_limit)}</Fact>
        <Fact name={t('hosting.processors')}>{text(plan.plan_cpu_limit)}</Fact>
        <Fact name={t('hosting.bandwidth')}>
          {plan.plan_bandwidth === 0 ? unlimited : `${number(plan.plan_bandwidth)} Mbit/s`}
        </Fact>
        {counted.map(([name, limit, feature]) => mayUse([feature]) && <Fact name={name}>{count(limit)}</Fact>)}
        {plan.plan_webserver !== '' && <Fact name={t('hosting.webserver')}>{plan.plan_webserver}</Fact>}
        {plan.plan_mysql !== '' && <Fact name={t('hosting.mysql')}>{plan.plan_mysql}</Fact>}
      </dl>
    </div>
  );
}

function NameServers({ plan }: { readonly plan: Plan }) {
  const names = [plan.ns1, plan.ns2, plan.ns3, plan.ns4].filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <Card title={t('hosting.nameServers')}>
      <p class="soft">{t('hosting.nameServersAbout')}</p>
      <ul>
        {names.map((name) => (
          <li key={name} class="row apart">
            <code class="wrap">{name}</code>
            <CopyButton text={name} what={name} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Ports({ ports }: { readonly ports: Query<ReplyOf<'GET /api/system/hosting/ports'>> }) {
  if (ports.data === undefined)
    return (
      <Card title={t('hosting.ports')}>
        <Answer of={ports}>{() => null}</Answer>
      </Card>
    );
  return <PublishedPorts ports={ports.data} />;
}

function PublishedPorts({ ports }: { readonly ports: ReplyOf<'GET /api/system/hosting/ports'> }) {
  const rows = [
    [t('hosting.port.ssh'), ports.remote_ssh_port],
    [t('hosting.port.mysql'), ports.remote_mysql_port],
    ['phpMyAdmin', ports.phpmyadmin_port],
    [t('hosting.port.terminal'), ports.webterminal_port],
  ] as const;
  const published = rows.filter(([, port]) => port !== null);
  if (published.length === 0) return null;
  return (
    <Card title={t('hosting.ports')}>
      <dl class="facts">
        {published.map(([name, port]) => (
          <Fact key={name} name={name} copies={String(port)}>
            {port}
          </Fact>
        ))}
      </dl>
    </Card>
  );
}
