/**
 * Records a request and its reply on the demo's content for every route, as examples of the API description:
 * `node dist/test/support/examples.js`, as root if a Docker Engine can be started. Secrets and facts about the machine
 * are replaced, long lists are cut.
 */
import { writeFileSync } from 'node:fs';
import { version } from 'node:os';
import { join } from 'node:path';
import { withExamples } from '../../plugins/dashboard/demo.ts';
import { DEMO_NAME_SERVERS } from '../../plugins/hosting/demo.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { dockerMissing, TestDocker } from './docker.ts';
import { TestServer } from './hostkeep.ts';
import { walk } from './walk.ts';
import { WebhookSink } from './webhook-sink.ts';

const LIST_LENGTH = 2;
/** Replacements by member name, at any depth. */
const REPLACED: Readonly<Record<string, unknown>> = {
  node: 'node1.example',
  host_name: 'node1.example',
  kernel: '6.12.0',
  ip: '203.0.113.10',
  ip_address: '203.0.113.10',
  last_ip: '198.51.100.7',
  processor: 'AMD EPYC 7543P',
  release: '6.12.0',
  load_avg: '0.52, 0.40, 0.36',
  uptime: '3 days, 4:05',
  id: 'example',
  user_agent: 'curl/8.14.1',
  database_password: 'example',
  device: '/dev/sda1',
  mountpoint: '/',
  Mountpoint: '/var/lib/docker/volumes/hostkeep-demo-demo-data/_data',
  fstype: 'ext4',
  paths: {},
  components: {},
  token: 'eyJhbGciOiJIUzI1NiJ9.…',
  password: 'correct horse battery',
  new_password: 'staple correct horse',
  code: '123456',
  secret: 'JBSWY3DPEHPK3PXP',
  otpauth_url: 'otpauth://totp/Hostkeep:demo?issuer=Hostkeep&secret=JBSWY3DPEHPK3PXP',
  qr: 'data:image/svg+xml;base64,…',
  recovery_codes: ['k7f2-9dqx-m4tz', 'p3wn-6hbr-x8cv'],
};

const NODE = {
  name: 'n1',
  address: '192.0.2.10:7443',
  state: 'up',
  draining: false,
  version: '0.1.0',
  seen_seconds_ago: 3,
  accounts: 412,
  urls: { user: 'https://192.0.2.10:2083', admin: 'https://192.0.2.10:2087' },
  sample: { cpu: 12.5, memory: 48.2, disk: 61 },
};

/** Replies that hold nothing but facts about the machine, or nothing at all, by route. */
const INVENTED: Readonly<Record<string, unknown>> = {
  'fleet.show': { node: 'n1', nodes: [NODE] },
  'operations.doctor': {
    at: '2026-11-20T09:30:00.000Z',
    findings: [
      { plugin: 'kernel', name: 'store', state: 'ok', detail: '/var/lib/hostkeep/hostkeep.db', remedy: null },
      {
        plugin: 'containers',
        name: 'container engine',
        state: 'warn',
        detail: 'the engine at /var/run/docker.sock failed to answer /version: connect ENOENT',
        remedy: 'apt-get install docker.io and start dockerd, or set containers.socket (empty = no engine)',
      },
    ],
  },
  'operations.settings': {
    settings: [
      { setting: 'data', value: '/var/lib/hostkeep', origin: 'default' },
      { setting: 'tls.cert', value: '/etc/hostkeep/tls/panel.pem', origin: '/etc/hostkeep/hostkeep.json' },
    ],
  },
  'login.loginLink': {
    url: 'https://panel.example:2083/home#login=AbC0…',
    expires_in: 60,
  },
  'login.locks': {
    locks: [
      {
        key: 'YWRkcmVzcyAxOTguNTEuMTAwLjc',
        kind: 'network',
        username: null,
        network: '198.51.100.7',
        failures: 30,
        until: '2026-11-20T09:31:00.000Z',
      },
    ],
    truncated: false,
  },
  'usage.system': {
    sampled_at: '2026-11-20T09:30:00.000Z',
    operating_system: {
      platform: 'linux',
      distribution: 'Debian GNU/Linux',
      release: '12',
      codename: 'bookworm',
      kernel: '6.12.0',
      architecture: 'x64',
      host_name: 'node1.example',
    },
    processor: {
      manufacturer: 'AMD',
      model: 'EPYC 7543P',
      cores: 64,
      physical_cores: 32,
      speed_ghz: 2.8,
      cache: { l1d: 1048576, l1i: 1048576, l2: 16777216, l3: 268435456 },
    },
    memory_modules: [{ size: 34359738368, bank: 'P0 CHANNEL A', type: 'DDR4', clock_mhz: 3200 }],
    virtualization: { is_virtual: false, host: '' },
    file_systems: [
      { device: '/dev/sda1', type: 'ext4', mountpoint: '/', size: 270553174016, used: 26638118912, read_only: false },
    ],
    network_interfaces: [
      {
        name: 'eth0',
        ip4: '203.0.113.10',
        ip6: '2001:db8::10',
        mac: '02:00:5e:00:53:01',
        state: 'up',
        speed_mbit: 1000,
        received: 482696977,
        sent: 1241856,
        received_per_second: 1200,
        sent_per_second: 5400,
      },
    ],
    disk_io: { read: 5147145216, written: 22187683840, read_per_second: 0, written_per_second: 20480 },
    processes: {
      total: 94,
      top: [{ pid: 812, name: 'mariadbd', user: 'mysql', cpu_percent: 3.8, memory_percent: 0.8, memory: 216981504 }],
    },
    uptime_seconds: 273900,
    time_zone: 'Etc/UTC',
  },
};

const missing = dockerMissing();
if (missing !== undefined) console.log(`no examples of containers: ${missing}`);
const docker = missing === undefined ? await TestDocker.start() : undefined;
const sink = await WebhookSink.open();
const server = await TestServer.start({
  config: {
    webhooks: sink.settings,
    // as in the demo, which this is not, because it would use what is installed here
    dashboard: withExamples({
      title: 'Hostkeep',
      custom_message: null,
      how_to_guides: true,
      how_to_topics: [],
      knowledge_base_link: '',
    }),
    hosting: { name_servers: DEMO_NAME_SERVERS },
    ...(docker !== undefined && { containers: { socket: docker.socket } }),
  },
});
const { node } = server.hostkeep;
/** Replacements within any text. */
const REWRITTEN = [
  [sink.host, 'hooks.example'],
  [node.url('user'), 'https://panel.example:2083'],
  [node.url('admin'), 'https://panel.example:2087'],
  [version(), '#1 SMP'],
  ['127.0.0.1', '203.0.113.10'],
] as const;

function shown(value: unknown): unknown {
  if (typeof value === 'string')
    return REWRITTEN.reduce<string>((text, [found, replacement]) => text.replaceAll(found, replacement), value);
  if (Array.isArray(value)) return value.slice(0, LIST_LENGTH).map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' && each.startsWith('hk_')
        ? 'hk_…'
        : each !== '' && typeof each === typeof REPLACED[name]
          ? REPLACED[name]
          : shown(each),
    ]),
  );
}

const examples: Record<string, unknown> = {
  'fleet.drain': { reply: { ...NODE, state: 'draining', draining: true } },
  'fleet.undrain': { reply: NODE },
};
for await (const { name, route, sent, answer } of walk(server, (plugin, error) =>
  console.log(`no content of ${plugin}: ${String(error)}`),
)) {
  const hasReply =
    answer.status === (route.status ?? 200) && route.produces === undefined && typeof answer.body === 'object';
  if (sent !== undefined || hasReply)
    examples[name] = {
      ...(sent === undefined ? {} : { request: shown(sent) }),
      ...(hasReply && { reply: INVENTED[name] ?? shown(answer.body) }),
    };
}
await server.close();
await docker?.stop();
sink.close();
// A route on both addresses is listed twice.
const ordered = [...new Set(node.routes().map(({ plugin, name }) => `${plugin}.${name}`))].filter(
  (name) => examples[name] !== undefined,
);
const file = join(projectDir, 'plugins/openapi/examples.json');
writeFileSync(
  file,
  `{\n${ordered.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(examples[name])}`).join(',\n')}\n}\n`,
);
console.log(`${ordered.length} examples in ${file}`);
