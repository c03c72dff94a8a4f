/**
 * Records a request and its reply on the demo's content for every route, as examples of the API description:
 * `node dist/test/plugins/openapi/examples.js`, as root if a Docker Engine can be started. Secrets and facts about the machine
 * are replaced, long lists are cut.
 */
import { writeFileSync } from 'node:fs';
import { version } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { byRoute, startSurroundings } from '../../support/plugin-rows.ts';
import { walk } from '../../support/walk.ts';

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

const surroundings = await startSurroundings('examples');
/** Replies that hold nothing but facts about the machine, or nothing at all, by route. */
const invented = await byRoute<unknown>((rows) => rows.examples?.invented);
const requests = await byRoute<unknown>((rows) => rows.examples?.requests);
const server = await TestServer.start({ config: surroundings.config });
const { node } = server.hostkeep;
/** Replacements within any text. */
const REWRITTEN = [
  ...surroundings.rewritten,
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
        : each !== '' && Array.isArray(each) === Array.isArray(REPLACED[name]) && typeof each === typeof REPLACED[name]
          ? REPLACED[name]
          : shown(each),
    ]),
  );
}

const unwalked = await byRoute((rows) => rows.unwalked);
const examples: Record<string, unknown> = Object.fromEntries(
  [...unwalked.keys()].map((name) => [
    name,
    { ...(requests.has(name) && { request: requests.get(name) }), reply: invented.get(name) },
  ]),
);
for await (const { name, route, sent, answer } of walk(server, (plugin, error) =>
  console.log(`no content of ${plugin}: ${String(error)}`),
)) {
  const hasReply =
    answer.status === (route.status ?? 200) && route.produces === undefined && typeof answer.body === 'object';
  if (sent !== undefined || hasReply)
    examples[name] = {
      ...(sent === undefined ? {} : { request: shown(sent) }),
      ...(hasReply && { reply: invented.get(name) ?? shown(answer.body) }),
    };
}
await server.close();
await surroundings.close();
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
