/**
 * The rules of the house, as a check that turns red, and why each of them is there:
 *
 * - The kernel knows no plugin, so that any feature can be taken out or put in without touching what all rely on.
 * - A plugin knows the kernel and itself; of a plugin that it needs it may know types. So a plugin is read, changed and
 *   removed alone, and what happens between two of them happens at a named point.
 * - Each package has one owning folder, so that replacing or updating it is a change in one place.
 * - No circle of imports, so that every file can be understood after those that it imports.
 * - A plugin's tables are its own, so that a change of its schema concerns nobody else.
 * - Names say what is in a file. A drawer called after nothing in particular collects everything.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import * as assert from 'uvu/assert';
import { projectDir } from '../kernel/config.ts';
import { testSuite } from './support/suite.ts';

const test = testSuite('boundaries');

interface Import {
  readonly file: string;
  readonly to: string;
  readonly isType: boolean;
}

/** The one file or folder that may import a package. */
const OWNERS: Readonly<Record<string, string>> = {
  'uWebSockets.js': 'kernel/server.ts',
  jose: 'kernel/auth.ts',
  ajv: 'kernel/json.ts',
  sqlite: 'kernel/store.ts',
  sqlite3: 'kernel/store.ts',
  pino: 'kernel/log.ts',
  commander: 'kernel/cli',
  '@node-rs/argon2': 'kernel/password-worker.ts',
  '@sinclair/typebox': 'kernel/schema.ts',
  otpauth: 'plugins/account',
  qr: 'plugins/account',
  maxmind: 'plugins/account',
  '@ip-location-db/geo-whois-asn-country-mmdb': 'plugins/account',
  tldts: 'plugins/domains',
  dockerode: 'plugins/containers',
  mysql2: 'plugins/databases',
  'php-parser': 'plugins/websites',
  'prom-client': 'plugins/metrics',
  sharp: 'plugins/screenshots',
  puppeteer: 'plugins/screenshots',
  'swagger-ui-dist': 'plugins/openapi',
};
const TOP_LEVEL = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'kernel',
  'plugins',
  'config',
  'test',
  'bench',
  'README.md',
  'LICENSE',
  'SECURITY.md',
  'CHANGELOG.md',
  'node_modules',
  'dist',
];

function sources(folder: string): string[] {
  return readdirSync(join(projectDir, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(projectDir, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  const found = [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s+)?[^;]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)|(?:resolve|require)\('(@?[a-z][^']+)'\)/gm,
    ),
  ];
  return found.map((match) => {
    const to = match[2] ?? match[3] ?? match[4] ?? match[5] ?? '';
    return {
      file,
      to: to.startsWith('.') ? relative(projectDir, join(projectDir, dirname(file), to)) : to,
      isType: match[1] !== undefined,
    };
  });
}

const files = [...sources('kernel'), ...sources('plugins')];
const imports = files.flatMap(importsOf);
const packageOf = (to: string) =>
  to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');
const isPackage = ({ to }: Import) =>
  !to.startsWith('node:') && !to.startsWith('kernel/') && !to.startsWith('plugins/');
const pluginOf = (path: string) => (path.startsWith('plugins/') ? path.split('/')[1] : undefined);
const told = (list: readonly Import[]) => list.map(({ file, to }) => `${file} imports ${to}`);

test('the kernel imports no plugin', () => {
  assert.equal(told(imports.filter(({ file, to }) => file.startsWith('kernel/') && to.startsWith('plugins/'))), []);
});

test('a plugin imports the kernel, itself, and types of the plugins that it needs', () => {
  const foreign = imports.filter(({ file, to, isType }) => {
    const [from, target] = [pluginOf(file), pluginOf(to)];
    if (from === undefined || target === undefined || from === target) return false;
    const manifest = readFileSync(join(projectDir, 'plugins', from, 'index.ts'), 'utf8');
    const needs = /needs: \[([^\]]*)\]/.exec(manifest)?.[1] ?? '';
    return !isType || !needs.includes(`'${target}'`);
  });
  assert.equal(told(foreign), []);
});

test('plugins see the contract of the kernel, not how it serves, loads or starts', () => {
  const inner = [
    'kernel/server.ts',
    'kernel/loader.ts',
    'kernel/index.ts',
    'kernel/cli.ts',
    'kernel/exchange.ts',
    'kernel/table.ts',
    'kernel/stream.ts',
    'kernel/streams.ts',
    'kernel/request-flow.ts',
    'kernel/writer.ts',
    'kernel/wire.ts',
  ];
  assert.equal(
    told(
      imports.filter(
        ({ file, to }) => file.startsWith('plugins/') && (inner.includes(to) || to.startsWith('kernel/cli/')),
      ),
    ),
    [],
  );
});

test('each package is imported in its owning folder only', () => {
  const strays = imports.filter(
    (each) =>
      isPackage(each) &&
      !(OWNERS[packageOf(each.to)] !== undefined && each.file.startsWith(OWNERS[packageOf(each.to)] ?? ' ')),
  );
  assert.equal(told(strays), []);
  const { dependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const isNamed = (name: string) =>
    files.some((file) => readFileSync(join(projectDir, file), 'utf8').includes(`'${name}`));
  assert.equal(
    Object.keys(dependencies).filter((name) => !isNamed(name)),
    [],
    'dependencies that nothing imports',
  );
});

test('the packages of the generated client stay with it', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(projectDir, 'test/client/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const names = Object.keys(devDependencies).filter((name) => name !== 'typescript');
  const strays = [...sources('test'), ...sources('bench')]
    .filter((file) => !/^test\/(client|fixtures\/client)\//.test(file))
    .flatMap(importsOf);
  assert.equal(told([...imports, ...strays].filter(({ to }) => names.includes(packageOf(to)))), []);
});

test('no imports go in a circle', () => {
  const next = new Map(
    files.map((file) => [file, imports.filter((each) => each.file === file && !each.isType).map(({ to }) => to)]),
  );
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.not.ok(path.includes(file), `circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test('SQL names tables of its own owner only', () => {
  const tables = new Map<string, string>();
  const owners = ['kernel', ...readdirSync(join(projectDir, 'plugins')).map((name) => `plugins/${name}`)];
  for (const owner of owners) {
    const folder = join(projectDir, owner, 'migrations');
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      for (const [, table = ''] of readFileSync(join(folder, name), 'utf8').matchAll(
        /create (?:virtual )?table (?:if not exists )?(\w+)/g,
      )) {
        assert.is(tables.get(table) ?? owner, owner, `table ${table} is made twice`);
        tables.set(table, owner);
      }
    }
  }
  const strays = files.flatMap((file) =>
    [
      ...readFileSync(join(projectDir, file), 'utf8').matchAll(
        /\b(?:from|join|into|update|delete from) (\w+)\b(?= |\)|'|`|"|$)/gm,
      ),
    ]
      .filter(([, table = '']) => tables.has(table) && !file.startsWith(`${tables.get(table)}/`))
      .map(([text]) => `${file}: ${text}`),
  );
  assert.equal(strays, []);
});

test('files are named for what is in them', () => {
  const bad = files.filter(
    (file) =>
      !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file)) || /\b(utils?|helpers?|common|misc|manager)\b/.test(file),
  );
  assert.equal(bad, []);
});

test('the top level is what it is', () => {
  assert.equal(
    readdirSync(projectDir).filter((name) => !name.startsWith('.') && !TOP_LEVEL.includes(name)),
    [],
  );
});
