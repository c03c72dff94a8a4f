import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedPlugins } from '../../../../kernel/host/discovery.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testSuite } from '../../../support/suite.ts';
import { assertNone } from '../../../support/lists.ts';

const test = testSuite('configuration commands');

/** Writes a configuration and returns its path. */
function settingsFile(text: string): string {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, text);
  return file;
}

/** Runs a command and returns its output without the folder of the file. */
async function run(file: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  const empty = temporaryFolder();
  const over = args[0] === 'check' ? { HOSTKEEP_FILES_ROOT: undefined } : {}; // which would hide the file's
  const { code, stdout, stderr } = await hostkeep(empty, ['--config', file, 'config', ...args], '', undefined, over);
  assert.is(stderr, '');
  assert.equal(readdirSync(empty), [], 'no store was created');
  return { code, stdout: stdout.replaceAll(join(file, '../'), '') };
}

const FAULTY = `{
  "listn": "127.0.0.1:1",
  "admin_hosts": "localhost",
  "virtual_root": "www",
  "edition": "free",
  "token": { "ttl_seconds": 1, "tll": 4 },
  "tls": { "cert": "/a.pem" },
  "cors_origins": ["https://a.example", "https://a.example/"],
  "metrics": { "tokn": 5 },
  "plugins": {"screnshots": false, "search": "no"},
  "accounts": {},
  "nonsense": {},
  "log": {"level": "warn"},
  "log": {"level": "loud"},
  "webhooks": { "endpoints": [ { "url": "ftp://x", "events": [] } ] }
}`;

test('check prints all faults at once, in plain words, with line and column', async () => {
  const { code, stdout } = await run(settingsFile(FAULTY), 'check');
  assert.is(code, 1);
  assert.equal(stdout.trimEnd().split('\n'), [
    'settings.json:2:3: listn is not known here; did you mean listen?',
    'settings.json:3:3: admin_hosts must be a list [ … ], and is text',
    'settings.json:4:3: virtual_root must match the pattern ^/([^/]+/)*[^/]+$',
    'settings.json:5:3: edition must be one of enterprise, community',
    'settings.json:6:14: token.ttl_seconds must be at least 60',
    'settings.json:6:32: token.tll is not known here',
    'settings.json:7:12: tls.cert needs tls.key beside it: set both or neither',
    'settings.json:8:41: cors_origins.1 "https://a.example/" is not an origin as browsers send it; write "https://a.example"',
    'settings.json:9:16: metrics.tokn is not known here; did you mean token?',
    'settings.json:10:15: plugins.screnshots is not known here; did you mean screenshots?',
    'settings.json:10:36: plugins.search must be true or false, and is text',
    'settings.json:11:3: accounts is a plugin without settings',
    'settings.json:12:3: nonsense is not known here',
    'settings.json:14:3: log is there twice',
    'settings.json:14:11: log.level must be one of trace, debug, info, warn, error, fatal, silent',
    'settings.json:15:32: webhooks.endpoints.0.secret is missing',
    'settings.json:15:34: webhooks.endpoints.0.url must match the pattern ^https?://',
    'settings.json:15:52: webhooks.endpoints.0.events must have at least 1 entry',
  ]);
  const json = JSON.parse((await run(settingsFile('{"edition": 5}'), 'check', '--json')).stdout) as unknown;
  const message = 'must be one of enterprise, community';
  const faults = [{ source: 'settings.json', setting: 'edition', message, line: 1, column: 2 }];
  assert.equal(json, { files: ['settings.json'], faults });
});

test('check finds what no node could run with', async () => {
  for (const [settings, fault] of [
    ['"files_root": "/srv/hosting"', 'files_root does not contain {username}'],
    ['"files_root": "srv/{username}"', 'files_root is no absolute path'],
    ['"trusted_proxies": ["::1", "proxy"]', 'trusted_proxies.1 does not fit: proxy is not an address or a CIDR range'],
    ['"webserver": {"listen": "300.1.1.1:80"}', 'webserver.listen does not have the right form'],
    ['"webserver": {"listen": "99999"}', 'webserver.listen does not have the right form'],
  ] as const) {
    const { code, stdout } = await run(settingsFile(`{ ${settings} }`), 'check');
    assert.is(code, 1, settings);
    assert.match(stdout, new RegExp(`^settings\\.json:1:\\d+: ${fault.replace(/[{}.]/g, '\\$&')}`), settings);
  }
});

test('check names the included file that has the fault, and files that cannot be read', async () => {
  const file = settingsFile('{"include": ["conf.d/*.json"], "listen": "127.0.0.1:5"}');
  mkdirSync(join(file, '../conf.d'));
  const write = (name: string, text: string) => writeFileSync(join(file, '../conf.d', name), text);
  write('10.json', '{"usage": {"access": "feature"}}');
  assert.equal(await run(file, 'check'), { code: 0, stdout: 'settings.json, conf.d/10.json: valid\n' });
  write('20.json', '{\n  "usage": {"access": "none"}\n}');
  write('30.json', '{\n  "usage": {},\n}');
  write('40.json', '[]');
  assert.equal(await run(file, 'check'), {
    code: 1,
    stdout: `conf.d/20.json:2:13: usage.access must be one of admin, feature
conf.d/30.json:3:1: there must be no comma before }
conf.d/40.json:1:1: the file must hold an object { … }
`,
  });
  const missing = await run('/nonexistent/settings.json', 'check');
  assert.is(missing.code, 1);
  assert.match(missing.stdout, /^settings\.json: ENOENT/);
});

test('show prints every setting with its origin, and no secret', async () => {
  const file = settingsFile(
    JSON.stringify({
      metrics: { token: 'a-secret-of-metrics' },
      webhooks: { endpoints: [{ url: 'https://a.example', secret: 'a-secret-of-an-endpoint' }] },
      databases: { servers: { main: { password: 'a-secret-of-a-server' } } },
      plugins: { search: false },
    }),
  );
  const { code, stdout } = await run(file, 'show');
  assert.is(code, 0);
  assert.not.match(stdout, /a-secret/);
  assert.match(stdout, /^metrics\.token +"\*{8}" +settings\.json$/m);
  assert.match(stdout, /^proxy_secret +"" +default$/m);
  assert.match(stdout, /^listen +"127\.0\.0\.1:0" +HOSTKEEP_LISTEN$/m);
  assert.match(stdout, /^token\.ttl_seconds +3600 +default$/m);
  assert.match(stdout, /^databases\.servers\.main\.password +"\*{8}" +settings\.json$/m);
  assert.match(stdout, /^databases\.servers\.main\.ownership +"prefix" +default$/m);
  assert.not.match(stdout, /^search\./m);
  const settings = JSON.parse((await run(file, 'show', '--json')).stdout) as { setting: string; value: unknown }[];
  assert.equal(settings.find(({ setting }) => setting === 'webhooks.endpoints')?.value, [
    { url: 'https://a.example', secret: '********', events: ['*'] },
  ]);
});

test('schema and reference describe the settings of the kernel and all plugins', async () => {
  const file = settingsFile('{}');
  const schema = JSON.parse((await run(file, 'schema')).stdout) as {
    required?: unknown;
    additionalProperties: boolean;
    properties: Record<string, { required?: string[]; properties: Record<string, unknown>; not?: unknown }>;
  };
  assert.is(schema.required, undefined);
  assert.is(schema.additionalProperties, false);
  assert.is(schema.properties['tls']?.required, undefined, 'the defaults supply the rest');
  assert.is(schema.properties['usage']?.required, undefined);
  assert.equal(schema.properties['accounts']?.not, {});
  const { stdout: reference } = await run(file, 'reference');
  for (const plugin of await Promise.all(installedPlugins().map((each) => each.load()))) {
    assert.ok(plugin.name in schema.properties, plugin.name);
    assert.is(reference.includes(`## \`${plugin.name}\``), plugin.config !== undefined, plugin.name);
  }
  for (const row of [
    '| `edition` | one of enterprise, community | `"enterprise"` | community closes the end-user address |',
    "| `jobs.processes` | a whole number, 1 to 256 | `8` | Maximum number of processes for customers' files, each for one account |",
    '| `jobs.memory_mib` | a whole number, at least 128 | `256` | Maximum memory of one of these processes |',
    '| `endpoints[].previous_secret` | text |  | Signs as well, until the receiver knows the new secret |',
    '| `servers.<name>.user` | text | `""` | Database user; empty = the one in the option file |',
  ])
    assert.ok(reference.includes(row), row);
  const rows = JSON.parse((await run(file, 'reference', '--json')).stdout) as {
    setting: string;
    description: string;
  }[];
  const isDescribed = ({ description }: { description: string }) => /^.{10,}[^.]$/.test(description);
  assertNone(rows, (each) => !isDescribed(each));
});
