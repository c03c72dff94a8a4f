import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { readJson } from '../../../kernel/config/configuration.ts';
import { findFiles } from '../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { remembered, type Schema } from '../target/api-description.ts';
import { selfSigned, signedBy } from '../../support/certificate.ts';
import { Placeholder } from './placeholder.ts';
import { PICTURE } from './test-accounts.ts';

const known = (...names: string[]) => fc.nat({ max: 1_000_000 }).map((nth) => new Placeholder('known', names, nth));
const credential = (name: string) => fc.constant(new Placeholder('credential', [name]));
const label = fc.stringMatching(/^[a-z][a-z0-9]{2,10}$/);
/** A domain for which there is a certificate. */
const certifiedDomain = label.map((name) => `${name}.customers.example`);
const OWN_CERTIFICATE = signedBy(selfSigned('authority'), 'DNS:*.customers.example');
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEhSMQDi8VVB1tRutGCz+9b9qTtYInu6kwIjqrFOkOfk mila@studio';
/** Of every account, unless a request took it away. */
const SITE_FILE = fc.constantFrom('sunny-garden.example/index.php', 'databases/fuzz.sqlite');
const fileName = fc.constantFrom('index', 'config', 'style', 'photo', 'log', 'page', 'wp-', 'e', '');

/** Values that are likely to be accepted, by member or parameter name; the schema alone rarely yields one. */
const REALISTIC: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  domain_url: fc.oneof(
    { weight: 3, arbitrary: certifiedDomain },
    { weight: 1, arbitrary: fc.constant('sunny-garden.example') },
    { weight: 2, arbitrary: known('domains.domain_url') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(label, known('domains.domain_url'))
        .map(
          ([name, placeholder]) =>
            new Placeholder('known', placeholder.names, placeholder.nth, (domain) => `${name}.${domain}`),
        ),
    },
  ),
  docroot: fc.oneof(
    known('domains.docroot'),
    fc.constant('sunny-garden.example'),
    label,
    label.map((name) => `/var/www/html/${name}`),
  ),
  domain: fc.oneof(known('sites.site'), known('domains.domain_url'), fc.constant('sunny-garden.example')),
  database: known('.Database'),
  folder: fc.oneof(known('folders.path', 'domains.docroot'), fc.constantFrom('', '/var/www/html')),
  link: fc.oneof(
    known('.link'),
    label.map((name) => `/${name}`),
    label.map((name) => `https://${name}.example/a?b=c#d`),
  ),
  locale: fc.constantFrom('en', 'de', 'fr'),
  service: fc.constantFrom('redis', 'memcached'),
  unit: fc.constantFrom('bytes', 'kb', 'mb', 'gb'),
  show_all: fc.constantFrom('true', 'false', 'True', '0'),
  q: fileName,
  ext: fc.constantFrom('php', 'html', 'tar.gz', 'sql', ''),
  search: fc.constantFrom('demo', 'logged', 'domain', '127.0.0.1', ''),
  page: fc.integer({ min: 1, max: 5 }),
  cursor: fc.oneof(known('accounts.username', 'plans.name'), fc.constant('')),
  username: known('accounts.username', '.username'),
  feature: known('features.name'),
  plan: known('plans.name'),
  email: label.map((name) => `${name}@example.com`),
  features: fc.uniqueArray(known('features.name'), { maxLength: 4 }),
  from: fc.constantFrom('2026-11-01', '1795000000', '2026-11-20T10:00:00Z'),
  to: fc.constantFrom('2026-11-30', '1796000000'),
};

/** The names of the files that the pages consist of; they change with each build. */
function builtFiles(): string[] {
  return findFiles('dist/plugins/*/assets/manifest.json', projectDir).flatMap((path) =>
    Object.keys((readJson(join(projectDir, path)) as { readonly types: object }).types),
  );
}

/** The same for names whose meaning depends on the operation. */
const REALISTIC_BY_OPERATION: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'files.list path': fc.oneof(
    known('folders.path'),
    known('domains.docroot'),
    fc.constantFrom('', 'backups', 'var/www/html/sunny-garden.example'),
  ),
  ...Object.fromEntries(
    ['show', 'write', 'remove'].map((name) => [`uploads.${name} id`, known('uploads.id', '/api/uploads .id')]),
  ),
  'domains.remove domain_url': known('domains.domain_url'),
  'domains.suspend domain': known('domains.domain_url'),
  'domains.hold username': known('domains.username'),
  'domains.hold domain': known('domains.domain_url'),
  'domains.setDocroot domain': known('domains.domain_url'),
  'domains.addAlias domain_url': known('domains.domain_url'),
  'domains.addAlias alias': label.map((name) => `${name}.aliases.example`),
  'domains.removeAlias alias': known('aliases'),
  'domains.setDocroot docroot': label,
  // the same name in both
  'domains.setSpelling domain': fc.constant(new Placeholder('known', ['domains.domain_url'], 1)),
  'domains.setSpelling shown_as': fc.constant(
    new Placeholder('known', ['domains.domain_url'], 1, (domain) => domain.toUpperCase()),
  ),
  'php.setVersion domain': known('domains.domain_url'),
  'php.setVersion version': fc.constant(''), // each other one starts a program
  'php.setOptions domain': known('domains.domain_url'),
  'php.setIni domain': known('domains.domain_url'),
  'php.setIni content': fc.constantFrom('', 'max_input_vars = 3000', '; cookies\nsession.cookie_samesite = Lax\n'),
  'php.ini domain': known('domains.domain_url'),
  'php.info domain': known('domains.domain_url'),
  'php.setOptions memory_mib': fc.constantFrom(64, 128),
  'php.setOptions upload_mib': fc.constantFrom(8, 16),
  'php.setOptions execution_seconds': fc.constantFrom(10, 20),
  'php.setOptions timezone': fc.constantFrom('UTC', 'Europe/Berlin'),
  'phpmyadmin.open domain_url': known('domains.domain_url'),
  'temporary-links.make domain_url': known('domains.domain_url'),
  'temporary-links.remove domain': known('links.domain_url', 'domains.domain_url'),
  'dns-check.check domain_url': known('domains.domain_url'),
  ...Object.fromEntries(
    ['setUser', 'removeUser', 'setBlocked', 'setErrorPages'].map((name) => [
      `site-access.${name} domain`,
      fc.constant(new Placeholder('known', ['domains.domain_url'], 1)),
    ]),
  ),
  'site-access.setUser path': fc.constant('/private'),
  'site-access.setUser name': fc.constant('jane'),
  'site-access.removeUser path': fc.constant('/private'),
  'site-access.removeUser name': fc.constant('jane'),
  'site-access.setBlocked addresses': fc.constantFrom([], ['192.0.2.7'], ['2001:db8::/32']),
  'site-access.setErrorPages error_pages': fc.constantFrom([], [{ status: 404, path: '/404.html' }]),
  'webserver-conf.set domain': fc.constant(new Placeholder('known', ['domains.domain_url'], 1)),
  'webserver-conf.set index_files': fc.constantFrom([], ['start.html']),
  'webserver-conf.set caching': fc.constantFrom([], [{ kind: 'images', seconds: 3600 }]),
  'webserver-conf.set headers': fc.constantFrom([], [{ name: 'Referrer-Policy', value: 'same-origin' }]),
  'webserver-conf.set folder_listing': fc.constant(false),
  'webserver-conf.set upload_mib': fc.constantFrom(null, 8),
  ...Object.fromEntries(
    ['set', 'requests'].map((name) => [
      `waf.${name} domain`,
      fc.constant(new Placeholder('known', ['domains.domain_url'], 1)),
    ]),
  ),
  'waf.set mode': fc.constant('off'),
  'waf.set excluded_ids': fc.constantFrom([], [942_100]),
  'waf.set excluded_tags': fc.constantFrom([], ['attack-rce']),
  'redirects.add domain_url': known('domains.domain_url'),
  'redirects.add path': label.map((name) => `/old/${name}`),
  'redirects.add target': fc.constantFrom('/new', 'https://example.com/new'),
  'redirects.add keep_path': fc.constant(false),
  ...Object.fromEntries(
    ['lines', 'stream', 'download', 'visitors'].map((name) => [`logs.${name} domain_url`, known('domains.domain_url')]),
  ),
  'logs.lines cursor': fc.constant(''),
  'redirects.remove id': known('redirects.redirect_id', '.redirect_id'),
  'sftp.add name': label,
  'sftp.add folder': fc.constantFrom('', '/var/www/html'),
  'sftp.add public_key': fc.constant(PUBLIC_KEY),
  'sftp.addKey public_key': fc.constant(PUBLIC_KEY),
  'sftp.move folder': fc.constantFrom('', '/var/www/html'),
  ...Object.fromEntries(
    ['move', 'renewPassword', 'remove', 'addKey', 'removeKey'].map((name) => [
      `sftp.${name} login`,
      known('logins.login', 'login.login'),
    ]),
  ),
  'sftp.removeKey key': known('keys.key_id'),
  'container-control.details id': known('containers.id'),
  'container-control.log id': known('containers.id'),
  'certificates.request domain': known('certificates.domain_url'),
  'certificates.upload domain': known('certificates.domain_url'),
  'certificates.remove domain': known('certificates.domain_url'),
  'certificates.change domain': known('certificates.domain_url'),
  'certificates.upload certificate': fc.constant(readFileSync(OWN_CERTIFICATE.cert, 'utf8')),
  'certificates.upload private_key': fc.constant(readFileSync(OWN_CERTIFICATE.key, 'utf8')),
  'files.read path': SITE_FILE,
  'files.setMode path': SITE_FILE,
  'thumbnails.thumbnail path': fc.constant(PICTURE),
  'files.move from': known('entries.name'),
  'files.move to': label,
  'files.compress paths': known('entries.name').map((name) => [name]),
  'files.compress to': label.map((name) => `${name}.zip`),
  'files.extract from': known('entries.name'),
  'files.extract to': label,
  'files.newDownload paths': known('entries.name').map((name) => [name]),
  'files.download ticket': fc
    .nat({ max: 1_000_000 })
    .map((nth) => new Placeholder('known', ['.href'], nth, (path) => path.replace(/^.*\//, ''))),
  'files.copy from': known('entries.name'),
  'files.copy to': label,
  ...Object.fromEntries(
    ['entries', 'read', 'restore', 'remove', 'databases', 'dump', 'restoreDatabase'].map((name) => [
      `backups.${name} id`,
      known('backups.id'),
    ]),
  ),
  'backups.entries path': fc.constantFrom('', 'sunny-garden.example'),
  'backups.entries cursor': fc.constant(''),
  'backups.read path': SITE_FILE,
  'backups.restore path': fc.constantFrom('', 'sunny-garden.example'),
  'backups.restore to': label,
  'backups.task id': known('tasks.id'),
  'backups.cancel id': known('tasks.id'),
  'malware.scan path': fc.constantFrom('', 'sunny-garden.example'),
  'malware.result id': known('scans.id'),
  'malware.cancel id': known('scans.id'),
  'malware.quarantine scan': known('scans.id'),
  'content-search.search text': fc.constantFrom('a', 'wp-config', '<?php'),
  'content-search.search path': fc.constantFrom('', 'sunny-garden.example'),
  'files.task id': known('tasks.id'),
  'files.cancel id': known('tasks.id'),
  'screenshots.show path': fc
    .tuple(known('domains.domain_url'), fc.constantFrom('', '/', '/a/b', '/x?y=z'))
    .map(([{ names, nth }, rest]) => new Placeholder('known', names, nth, (domain) => domain + rest)),
  'pages.asset name': fc.constantFrom(...builtFiles()),
  'profile.endSession id': known('sessions.id'),
  'accounts.endSession username': credential('username'),
  'accounts.endSession id': fc.nat({ max: 1_000_000 }).map((nth) => new Placeholder('same-path', ['sessions.id'], nth)),
  'accounts.createAccount username': label,
  'plans.createPlan name': label,
  'plans.updatePlan name': known('plans.name'),
  'plans.plan name': known('plans.name'),
  'plans.removePlan name': known('plans.name'),
  'plans.switchOn name': known('plans.name'),
  'plans.switchOff name': known('plans.name'),
  'login.login username': credential('username'),
  'login.login password': credential('password'),
  'login.login twofa_code': credential('code'),
  'login.password password': credential('password'),
  'login.setupTwofa password': credential('password'),
  'login.disableTwofa password': credential('password'),
  'login.disableTwofa code': credential('code'),
  'login.confirmTwofa code': credential('totp'),
  'login.reauthenticate password': credential('password'),
  'login.reauthenticate twofa_code': credential('code'),
  'profile.sessions cursor': fc.constant(''),
  'accounts.sessions cursor': fc.constant(''),
  'login.unlock from': fc.constantFrom('', '203.0.113.9', '2001:db8::9'),
  'login.liftLock key': fc.constant(Buffer.from('address 127.0.0.1').toString('base64url')),
  'login-links.useLoginLink code': fc
    .nat({ max: 1_000_000 })
    .map((nth) => new Placeholder('known', ['.url'], nth, (url) => url.replace(/^.*#login=/, ''))),
  'profile.allSessions cursor': fc.constant(''),
  'login.makeToken name': label,
  'login.makeToken scopes': fc.constantFrom(['sessions:read'], ['accounts:read']), // of one address each
  'login.makeToken networks': fc.constant([]),
  'login.makeToken password': credential('password'),
  'login.makeToken twofa_code': credential('code'),
  'login.endToken id': known('tokens.id', '.id'),
  'login.endTokenOf username': credential('username'),
  'login.endTokenOf id': fc.nat({ max: 1_000_000 }).map((nth) => new Placeholder('same-path', ['tokens.id'], nth)),
  'accounts.accounts cursor': fc.constant(''),
  'settings.change setting': fc.constant('admin_cors_origins'),
  'settings.change value': fc.constant([]),
  'settings.change if-match': fc.constant('*'),
  // one that nobody sets: each change starts the plugins anew, with less memory than after a while
  'settings.reset setting': fc.constant('cors_origins'),
  'settings.reset if-match': fc.constant('*'),
  'webhooks.test id': known('webhooks.id'),
  'webhooks.add url': label.map((name) => `http://127.0.0.1:9/${name}`),
  'webhooks.change url': label.map((name) => `http://127.0.0.1:9/${name}`),
  'webhooks.change id': known('webhooks.id'),
  'webhooks.renewSecret id': known('webhooks.id'),
  'webhooks.removeSecret id': known('webhooks.id'),
  'webhooks.remove id': known('webhooks.id'),
  'webhooks.attempts id': known('webhooks.id'),
  'webhooks.redeliver id': known('webhooks.id'),
};

/** Generates values that match the schema; four of five times a realistic one, where such are known. */
export function valueOf(schema: Schema, name: string, operationId: string): fc.Arbitrary<unknown> {
  const realistic = REALISTIC_BY_OPERATION[`${operationId} ${name}`] ?? REALISTIC[name];
  const plain = ofSchema(schema, operationId);
  return realistic === undefined
    ? plain
    : fc.oneof({ weight: 4, arbitrary: realistic }, { weight: 1, arbitrary: plain });
}

function ofSchema(schema: Schema, operationId: string): fc.Arbitrary<unknown> {
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (Array.isArray(schema['anyOf']))
    return fc.oneof(...(schema['anyOf'] as Schema[]).map((each) => ofSchema(each, operationId)));
  const [min, max] = [numberOf(schema['minimum'], -1000), numberOf(schema['maximum'], 1_000_000)];
  switch (schema['type']) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min, max });
    case 'number':
      return fc.double({ min, max, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(ofSchema((schema['items'] ?? {}) as Schema, operationId), {
        minLength: numberOf(schema['minItems'], 0),
        maxLength: 4,
      });
    case 'object':
      return objectOf(schema, operationId);
    default:
      return fc.jsonValue();
  }
}

function numberOf(value: unknown, byDefault: number): number {
  return typeof value === 'number' ? value : byDefault;
}

/** fast-check takes milliseconds to find out what a pattern allows. */
const text = remembered((schema): fc.Arbitrary<string> => {
  const [minLength, maxLength] = [numberOf(schema['minLength'], 0), Math.min(numberOf(schema['maxLength'], 64), 64)];
  if (typeof schema['pattern'] === 'string')
    return fc
      .stringMatching(new RegExp(schema['pattern']))
      .filter(({ length }) => length >= minLength && length <= maxLength);
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ minLength, maxLength }) },
    {
      weight: 1,
      arbitrary: fc
        .string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, maxLength >> 2) })
        .filter(({ length }) => length <= maxLength),
    },
  );
});

/** Generates objects that match the schema; an optional member is absent half of the time. */
export function objectOf(schema: Schema, operationId: string): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const model = Object.fromEntries(properties.map(([name, each]) => [name, valueOf(each, name, operationId)]));
  return fc.record(model, { requiredKeys: (schema['required'] ?? []) as string[] });
}
