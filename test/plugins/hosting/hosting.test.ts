import * as assert from '../../support/assert.ts';
import type { ListedContainer } from '../../../kernel/areas/containers.ts';
import { gigabytes } from '../../../plugins/hosting/plan.ts';
import { publishedPorts } from '../../../plugins/hosting/published-ports.ts';
import { ownAddress, uptimeText } from '../../../plugins/hosting/server-info.ts';
import { testConfig, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('hosting');
let server: TestServer;
test.before(
  async () =>
    void (server = await TestServer.start({
      config: {
        containers: { socket: '' },
        hosting: { name_servers: ['ns1.node.test', 'ns2.node.test'], ip_address: '203.0.113.7' },
      },
    })),
);

test('the plan is shown with its limits as texts and numbers, under both paths', async () => {
  const { token } = await server.user('ann', 'standard');
  for (const path of ['/system/hosting/plan', '/api/system/hosting/plan']) {
    const { status, body } = await server.ask(path, { token });
    assert.is(status, 200);
    assert.is(body['context'], 'ann');
    assert.is(body['ns2'], 'ns2.node.test');
    assert.is(body['ns3'], '');
    assert.is(body['plan_cpu_limit'], '2');
    assert.is(body['plan_disk_limit'], '20 GB');
    assert.is(body['plan_ram_limit'], '3 GB');
    assert.is(body['plan_domains_limit'], 10);
    assert.is(body['plan_names_limit'], 200);
  }
});

test('shipped plans are unlimited only in what their description says', async () => {
  for (const plan of ['basic', 'standard', 'developer']) {
    const { token } = await server.user(`plan_${plan}`, plan);
    const { body } = await server.ask<Record<string, unknown>>('/system/hosting/plan', { token });
    const unlimited = Object.keys(body).filter((member) => body[member] === 0 || body[member] === '0');
    assert.equal(
      unlimited,
      plan === 'developer' ? ['plan_db_limit', 'plan_domains_limit', 'plan_websites_limit'] : [],
      plan,
    );
  }
});

test('changed name servers are shown after a reload', async () => {
  const first = await TestServer.start({ config: { hosting: { name_servers: ['ns1.old.test'] } } });
  const { token } = await first.user('ann');
  const shown = async () => (await first.ask('/system/hosting/plan', { token })).body['ns1'];
  assert.is(await shown(), 'ns1.old.test');
  await first.hostkeep.reconfigure(testConfig(first.data, { hosting: { name_servers: ['ns1.new.test'] } }));
  assert.is(await shown(), 'ns1.new.test');
});

test('the server is described in texts', async () => {
  const { token } = await server.user('bea');
  const { body } = await server.ask<Record<string, string>>('/api/system/hosting/info', { token });
  assert.is(body['ip'], '203.0.113.7');
  assert.is(body['system'], 'Linux');
  assert.match(body['load_avg'] ?? '', /^\d+\.\d\d, \d+\.\d\d, \d+\.\d\d$/);
});

test('ports are null where the node has no container engine', async () => {
  const { token } = await server.user('cleo');
  const { body } = await server.ask('/system/hosting/ports', { token });
  assert.equal(body, { phpmyadmin_port: null, remote_mysql_port: null, remote_ssh_port: null, webterminal_port: null });
});

test('uptime, sizes and the own address are written as people read them', () => {
  assert.is(uptimeText(59), '0:00');
  assert.is(uptimeText(86_400 + 4 * 3600 + 300), '1 day, 4:05');
  assert.is(uptimeText(3 * 86_400), '3 days, 0:00');
  assert.is(gigabytes(0), '0');
  assert.is(gigabytes(1536), '1.5 GB');
  const each = (address: string) => ({
    address,
    family: 'IPv4' as const,
    internal: false,
    netmask: '',
    mac: '',
    cidr: null,
  });
  assert.is(ownAddress({ eth0: [each('10.0.0.2')], eth1: [each('8.8.4.4')] }), '8.8.4.4');
  assert.is(ownAddress({ eth0: [each('10.0.0.2')] }), '10.0.0.2');
  assert.is(ownAddress({}), '127.0.0.1');
});

test('services are recognised by name and port, or by a rare port', () => {
  const one = (over: Partial<ListedContainer>, ...ports: [number, number][]): ListedContainer => ({
    ...{
      id: '1'.repeat(64),
      names: [],
      image: '',
      service: '',
      state: 'running',
      status: '',
      createdSeconds: 1,
      address: '',
    },
    ports: ports.map(([privatePort, publicPort]) => ({ ip: '', privatePort, publicPort, protocol: 'tcp' })),
    ...over,
  });
  const found = (...containers: ListedContainer[]) =>
    Object.fromEntries(Object.entries(publishedPorts(containers)).filter(([, port]) => port !== null));
  assert.equal(
    found(
      one({ image: 'phpmyadmin/phpmyadmin:5' }, [80, 8081]),
      one({ service: 'mariadb' }, [3306, 33_061]),
      one({}, [22, 2201]),
      one({ names: ['ann-ttyd-1'] }, [7681, 7001]),
    ),
    { phpmyadmin_port: 8081, remote_mysql_port: 33_061, remote_ssh_port: 2201, webterminal_port: 7001 },
  );
  assert.equal(found(one({}, [80, 8081], [443, 8443])), {}, 'a web server is none of these services');
  assert.equal(found(one({ image: 'registry.test:5000/mysql' }, [3306, 0])), {}, 'not published');
  assert.equal(
    found(one({ createdSeconds: 9 }, [3306, 1]), one({ createdSeconds: 5 }, [3306, 2])),
    { remote_mysql_port: 2 },
    'the oldest',
  );
  assert.equal(found(one({}, [3306, 99_999])), {}, 'not a valid port');
});
