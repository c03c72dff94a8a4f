/**
 * The rules of the house, as a check that turns red, and why each of them is there:
 *
 * - The kernel knows no plugin, so that any feature can be taken out or put in without touching what all rely on.
 * - The kernel stands on floors. A file imports only from floors below its own or from its own folder, types included,
 *   so that it can be read after those below it, and a change above never reaches down.
 * - A plugin takes from the kernel what `FOR_PLUGINS` allows and nothing else: the contract, the ground, and the
 *   rooms of tools. How requests are served, plugins are loaded and keys are kept can then change without them.
 * - `kernel/areas` has what several plugins share and what knows the contract. It takes of the kernel what a plugin may,
 *   and the kernel takes nothing of it, so that the contract has words only.
 * - The core, without tools, areas, workers and the program, stays within `CORE_LINES`, so that one person can know it.
 * - A plugin knows itself, and of no other plugin even types. So a plugin is read, changed and removed alone, and what
 *   happens between two of them happens at a named point.
 * - A plugin's tests are the plugin's: nothing outside its two folders names a file in them, so that both can be deleted.
 *   A test of several gets the others with `needs('name')`, and is left out without them; tests of all have rows by plugin.
 * - What a plugin gets, and what it says of a route, fits into a head: the contract may not grow in silence.
 * - Each package has one owning folder, so that replacing or updating it is a change in one place.
 * - No circle of imports, types included, so that every file can be understood after those that it imports.
 * - No two exported types share a name, so that a name means one thing.
 * - One file starts programs, so that none starts with the rights of the service, or through a shell.
 * - Customers' files are opened by jobs only, in processes of their own: never by the process that serves everybody.
 * - One queue shares what is scarce between accounts, so that no other forgets to be fair.
 * - The SQL of the store is what SQLite and PostgreSQL both take, so that no code asks which engine it runs on.
 * - A plugin's tables are its own, so that a change of its schema concerns nobody else.
 * - An error that goes no further says beside it why it may not, so that no failure looks like "nothing" by accident.
 * - A plugin fits into a head: one that outgrows its bound is two features, or writes an idea twice.
 * - Names say what is in a file. A drawer called after nothing in particular collects everything.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import * as assert from '../support/assert.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { findMentions } from '../support/plugin-mentions.ts';
import { testSuite } from '../support/suite.ts';
import { assertNone } from '../support/lists.ts';

const test = testSuite('boundaries');

interface Import {
  readonly file: string;
  readonly to: string;
  readonly isType: boolean;
}

/** The floors of the kernel, from the ground up. A folder is named without its files, a file without its ending. */
const FLOORS = [
  ['errors', 'schema', 'log'],
  ['kit'],
  ['config'],
  ['store'],
  ['workers'],
  ['identity'],
  ['contract'],
  ['http'],
  ['host'],
  ['run'],
  ['areas'],
];
/** The rooms that are no part of the core. */
const BESIDE_THE_CORE = ['kit', 'workers', 'run', 'areas'];
/** Lines of the core. The plan for the house said 8,500, the code of areas included, when it had half of today's features. */
const CORE_LINES = 10_600;
/** What plugins may import of the kernel; everything else is closed to them. */
const FOR_PLUGINS = {
  values: ['errors', 'schema', 'log', 'kit', 'contract', 'areas'],
  types: ['identity', 'store', 'config'],
};
/** The file or folder that may import a package. */
const OWNERS: Readonly<Record<string, string | readonly string[]>> = {
  'uWebSockets.js': 'kernel/http/uws.ts',
  jose: 'kernel/identity/gate/keyring.ts',
  ajv: 'kernel/config/validator.ts',
  sqlite: 'kernel/store/sqlite/connection.ts',
  sqlite3: 'kernel/store/sqlite/connection.ts',
  pg: ['plugins/postgres/', 'kernel/kit/databases/postgresql/'], // the store, and customers' databases
  pino: 'kernel/log.ts',
  commander: 'kernel/run/',
  '@node-rs/argon2': 'kernel/identity/gate/password-worker.ts',
  '@sinclair/typebox': 'kernel/schema.ts',
  'fast-glob': 'kernel/kit/files/find-files.ts',
  'lru-cache': 'kernel/kit/waiting/bounded-cache.ts',
  'ipaddr.js': 'kernel/kit/net/ip.ts',
  'jsonc-parser': 'plugins/operations',
  '@noble/ciphers': 'plugins/backups/repository/quick-key.ts',
  otpauth: 'plugins/login',
  qr: 'plugins/login',
  maxmind: 'plugins/profile',
  '@ip-location-db/geo-whois-asn-country-mmdb': 'kernel/kit/net',
  tar: 'plugins/files/archives/',
  tldts: 'plugins/domains',
  dockerode: ['kernel/kit/engine/', 'plugins/containers/engine/'], // demo-containers.ts has its types
  mysql2: 'plugins/databases',
  'php-parser': 'plugins/websites',
  systeminformation: 'plugins/system',
  'prom-client': 'plugins/metrics',
  sharp: ['plugins/screenshots', 'plugins/thumbnails'],
  'puppeteer-core': 'plugins/screenshots',
  '@modelcontextprotocol/sdk': 'plugins/mcp',
  undici: 'plugins/fleet',
  ws: 'plugins/fleet/traffic/far-socket.ts',
  '@peculiar/x509': 'kernel/kit/net/x509.ts',
  esbuild: ['plugins/pages/build', 'config/package'], // pages, and the code that a package installs
};
/** The only file that may start programs. */
const STARTS_PROGRAMS = 'kernel/kit/programs/start-program.ts';
/** Where tasks wait, and why not all of them in the first one. */
const QUEUES: Readonly<Record<string, string>> = {
  'kernel/kit/waiting/fair-queue.ts': 'the queue of the product',
  'kernel/workers/semaphores.ts':
    'what has one name in all workers, such as attempts on one budget, waits for no other name',
  'kernel/store/sqlite/sqlite-engine.ts': 'short transactions, in the order of their arrival',
  'plugins/webhooks/store.ts': 'rows of deliveries, in turns by endpoint',
  'plugins/webserver/vhosts/change-batcher.ts':
    'changes of virtual hosts, of which each account has a share in a batch',
};
const TOP_LEVEL = [
  ...['package.json', 'tsconfig.json', 'kernel', 'plugins', 'config', 'test', 'bench', 'README.md'],
  ...['package-lock.json', 'LICENSE', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...['.ci', '.editorconfig', '.gitignore', '.npmrc', '.oxlintrc.json', '.prettierrc.json', '.prettierignore'],
];
/** A folder of the kernel with more files than this has rooms of its own. */
const FILES_IN_A_FOLDER = 15;

/** Lines of a plugin's code for the server, without its pages. */
const PLUGIN_LINES = 2200;

function sources(folder: string, ending = /\.ts$/): string[] {
  return readdirSync(join(projectDir, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(projectDir, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  const found = [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s+)?[^;]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)|(?:resolve|require)\('(@?[a-z][^']+)'\)|^\s*(declare module) '(\.[^']+)'/gm,
    ),
  ];
  return found.map((match) => {
    const to = match[2] ?? match[3] ?? match[4] ?? match[5] ?? match[7] ?? '';
    return {
      file,
      to: to.startsWith('.') ? relative(projectDir, join(projectDir, dirname(file), to)) : to,
      isType: match[1] !== undefined || match[6] !== undefined,
    };
  });
}

/** Code of the pages, which runs in browsers: the shell, its kit, and what each area brings. */
const PAGE_CODE = /^plugins\/(?:pages\/(?:kit|shell)|[^/]+\/page)\//;
const files = [...sources('kernel'), ...sources('plugins').filter((file) => !PAGE_CODE.test(file))];
const imports = files.flatMap(importsOf);
const pages = sources('plugins', /\.tsx?$/).filter((file) => PAGE_CODE.test(file));
const packageOf = (to: string) =>
  to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');
const isPackage = ({ to }: Import) =>
  !to.startsWith('node:') &&
  !to.startsWith('kernel/') &&
  !to.startsWith('plugins/') &&
  !to.startsWith('config/') &&
  to !== 'package.json';
const pluginOf = (path: string) => (path.startsWith('plugins/') ? path.split('/')[1] : undefined);
/** The folder directly in the kernel, or the file without its ending. */
const roomOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
const floorOf = (path: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)));
const listed = (list: readonly Import[]) => list.map(({ file, to }) => `${file} imports ${to}`);

test('the kernel imports no plugin', () => {
  assert.equal(listed(imports.filter(({ file, to }) => file.startsWith('kernel/') && to.startsWith('plugins/'))), []);
});

test('the kernel imports downwards only, types included', () => {
  assertNone(files, (file) => file.startsWith('kernel/') && floorOf(file) < 0, 'files that stand on no floor');
  const upwards = imports.filter(({ file, to }) => {
    if (!file.startsWith('kernel/') || !to.startsWith('kernel/') || roomOf(file) === roomOf(to)) return false;
    return floorOf(to) >= floorOf(file);
  });
  assert.equal(listed(upwards), []);
});

test('plugins, and what they share, import of the kernel what is for plugins', () => {
  const closed = imports.filter(({ file, to, isType }) => {
    if (!/^(?:plugins|kernel\/areas)\//.test(file) || !to.startsWith('kernel/')) return false;
    return !FOR_PLUGINS.values.includes(roomOf(to)) && !(isType && FOR_PLUGINS.types.includes(roomOf(to)));
  });
  assert.equal(listed(closed), []);
});

// threat hung-file-system: the serving process opens no customers' files, whatever plugin asks
test("only jobs can open customers' files", () => {
  const values = new Map<string, string[]>();
  for (const { file, to, isType } of imports) if (!isType) values.set(file, [...(values.get(file) ?? []), to]);
  const reached = new Set(files.filter((file) => /^kernel\/run\/|^plugins\/[^/]+\/(index|commands)\.ts$/.test(file)));
  for (const file of reached) for (const to of values.get(file) ?? []) reached.add(to);
  assert.ok(reached.size > 200, 'the imports of the program were not found');
  const openers = ['kernel/kit/files/safe-folder.ts', 'kernel/kit/files/safe-folder-sync.ts'];
  assertNone(openers, (file) => reached.has(file));
  const jobs = files.filter((file) => file.endsWith('-job.ts'));
  assert.ok(jobs.some((job) => values.get(job)?.includes('kernel/kit/files/safe-folder.ts')));
  assertNone(jobs, (file) => reached.has(file), 'a job runs in a process of its own');
});

// threat crowding-out: all work that waits for a slot waits in the one queue that shares by cost
test('one file makes tasks wait for slots', () => {
  const waits =
    /\.push\((?:\{[^}]*\b)?(?:resolve|reject|start|task)\b|\bclass \w*(?:Semaphore|Limiter|Queue|Mutex|Semaphores)\b/;
  const queues = files.filter((file) => waits.test(readFileSync(join(projectDir, file), 'utf8')));
  assert.equal(queues.toSorted(), Object.keys(QUEUES).toSorted());
});

test('the core fits into a head', () => {
  const core = files.filter((file) => file.startsWith('kernel/') && !BESIDE_THE_CORE.includes(roomOf(file)));
  const lines = core.reduce(
    (sum, file) => sum + readFileSync(join(projectDir, file), 'utf8').split('\n').length - 1,
    0,
  );
  assert.ok(lines <= CORE_LINES, `${lines} lines`);
});

test('a plugin imports nothing of another plugin, types included', () => {
  const foreign = imports.filter(({ file, to }) => {
    const [from, target] = [pluginOf(file), pluginOf(to)];
    if (from === undefined || target === undefined || from === target) return false;
    return true;
  });
  assert.equal(listed(foreign), []);
});

test('nothing outside a plugin and its tests names a file of them', () => {
  assert.equal(findMentions(), {});
});

test('each package is imported in its owning folder only', () => {
  const strays = [...imports, ...sources('config').flatMap(importsOf)].filter((each) => {
    const owners = [OWNERS[packageOf(each.to)] ?? []].flat();
    return isPackage(each) && !owners.some((owner) => each.file.startsWith(owner));
  });
  assert.equal(listed(strays), []);
  const { dependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const texts = files.map((file) => readFileSync(join(projectDir, file), 'utf8'));
  const isNamed = (name: string) => texts.some((text) => text.includes(`'${name}`));
  assertNone(Object.keys(dependencies), (name) => !isNamed(name), 'dependencies that nothing imports');
});

// asvs 3.2.2: pages show texts as texts, and no other way is written
test('the code of pages imports the kit and itself, and writes no HTML', () => {
  assert.ok(pages.length > 60, 'the code of the pages was not found');
  const packages = ['preact', 'preact-iso', '@preact/signals'];
  const isOwned = (to: string, file: string) =>
    (to === 'tus-js-client' && file.startsWith('plugins/uploads/page/')) ||
    (to.startsWith('@xterm/') && file.startsWith('plugins/container-shell/page/terminal/')) ||
    (/^@(codemirror|lezer)\//.test(to) && file.startsWith('plugins/files/page/editor/'));
  const strays = pages.flatMap(importsOf).filter(({ file, to }) => {
    if (to.startsWith('hostkeep:')) return !file.startsWith('plugins/pages/');
    if (!to.startsWith('plugins/')) return !packages.includes(packageOf(to)) && !isOwned(to, file);
    const isOwn = pluginOf(to) === pluginOf(file) && PAGE_CODE.test(to);
    const isKit = to.startsWith('plugins/pages/kit/') && (to.endsWith('/index.ts') || to.endsWith('/chart.tsx'));
    return !isOwn && !isKit;
  });
  assert.equal(listed(strays), []);
  const writesHtml =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function/;
  assertNone(pages, (file) => writesHtml.test(readFileSync(join(projectDir, file), 'utf8')));
});

test('only the tests of generated clients import what they install', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(projectDir, 'test/client/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const names = Object.keys(devDependencies).filter((name) => name !== 'typescript');
  const strays = [...sources('test'), ...sources('bench')]
    .filter((file) => !/^test\/(client|plugins\/[^/]+\/fixtures\/client)\//.test(file))
    .flatMap(importsOf);
  assert.equal(listed([...imports, ...strays].filter(({ to }) => names.includes(packageOf(to)))), []);
});

// threat inherited-rights: one function starts every program
// threat shell-injection: programs start without a shell, arguments are arrays
// asvs 1.2.5: no program is started through a shell
test('programs are started in one place, and without a shell', () => {
  const where = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(join(projectDir, file), 'utf8')));
  assert.equal(where(/child_process/), [STARTS_PROGRAMS]);
  assert.match(readFileSync(join(projectDir, STARTS_PROGRAMS), 'utf8'), /^import \{ spawn, spawnSync, type /m);
  assert.equal(where(/\bshell:/), []);
});

test('the scripts of processes and threads have names by which the package finds them', () => {
  const named = files.flatMap((file) => [
    ...readFileSync(join(projectDir, file), 'utf8').matchAll(/\bscript: '([^']+)'|new Worker\([^)]*\/([\w-]+)\.js/g),
  ]);
  const scripts = named.map(([, script, file]) => script ?? file ?? '');
  assert.ok(scripts.includes('report-worker'));
  assertNone(scripts, (script) => !/-(?:job|thread|worker)$/.test(script), 'see ENTRIES in config/package/bundle.ts');
});

test('every event stands in a table, from which types and webhooks follow', () => {
  const declared = files.filter((file) => /interface EventTypes/.test(readFileSync(join(projectDir, file), 'utf8')));
  const bare = /interface EventTypes (?!extends EventData<typeof \w+> \{\})/;
  assert.equal(
    declared.filter((file) => bare.test(readFileSync(join(projectDir, file), 'utf8'))),
    ['kernel/store/events/event-types.ts'],
  );
});

test('no imports go in a circle, types included', () => {
  const all = [...files, ...pages];
  const next = new Map(all.map((file) => [file, new Set<string>()]));
  for (const { file, to } of all.flatMap(importsOf)) if (to !== file) next.get(file)?.add(to);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.not.ok(path.includes(file), `circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of all) visit(file, []);
});

test('no two exported types or classes of the kernel and one plugin share a name', () => {
  const exported = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(projectDir, file), 'utf8').matchAll(
      /^export (?:abstract )?(?:class|interface|type) (\w+)/gm,
    ))
      exported.set(name, [...(exported.get(name) ?? []), file]);
  const clashes = [...exported].flatMap(([name, places]) => {
    const [kernel, rest] = [
      places.filter((p) => p.startsWith('kernel/')),
      places.filter((p) => !p.startsWith('kernel/')),
    ];
    const inOnePlugin = rest.filter((each, i) => rest.findIndex((p) => pluginOf(p) === pluginOf(each)) !== i);
    const isClash = kernel.length > 1 || (kernel.length > 0 && rest.length > 0) || inOnePlugin.length > 0;
    return isClash ? [`${name}: ${places.join(', ')}`] : [];
  });
  assert.equal(clashes, []);
});

// threat sql-injection: SQL names only tables of its owner, from fixed lists
test('SQL names tables of its own owner only', () => {
  const tables = new Map<string, string>();
  const owners = ['kernel', ...readdirSync(join(projectDir, 'plugins')).map((name) => `plugins/${name}`)];
  for (const owner of owners) {
    const folder = join(projectDir, owner, owner === 'kernel' ? 'store/migrations' : 'migrations');
    for (const name of findFiles('**/*.sql', folder)) {
      for (const [, table = ''] of readFileSync(join(folder, name), 'utf8').matchAll(
        /create (?:virtual )?table (?:if not exists )?(\w+)/g,
      )) {
        assert.is(tables.get(table) ?? owner, owner, `table ${table} is made twice`);
        tables.set(table, owner);
      }
    }
  }
  assert.ok(tables.has('accounts') && tables.has('domains'), 'the migrations were found');
  // The engine of a store serves the kernel's tables.
  const isEngine = (plugin: string) => files.includes(`plugins/${plugin}/engine.ts`);
  const ownersOf = (file: string): string[] => {
    const plugin = pluginOf(file);
    if (plugin === undefined) return ['kernel'];
    return [`plugins/${plugin}`, ...(isEngine(plugin) ? ['kernel'] : [])];
  };
  const strays = files.flatMap((file) =>
    [
      ...readFileSync(join(projectDir, file), 'utf8').matchAll(
        /\b(?:from|join|into|update|delete from) (\w+)\b(?= |\)|'|`|"|$)/gm,
      ),
    ]
      .filter(([, table = '']) => tables.has(table) && !ownersOf(file).includes(tables.get(table) ?? ''))
      .map(([text]) => `${file}: ${text}`),
  );
  assert.equal(strays, []);
});

test('titles of tests fit into a line of a list of failures', () => {
  const long = sources('test', /\.test\.ts$/).flatMap((file) =>
    [...readFileSync(join(projectDir, file), 'utf8').matchAll(/^\s*\w*[tT]est\((['"`])(.*?)\1, /gm)]
      .map(([, , title = '']) => title)
      .filter((title) => title.length > 80 && !title.includes('${'))
      .map((title) => `${file}: ${title}`),
  );
  assert.equal(long, []);
});

test('names say what a function does: none that is exported ends in Of', () => {
  const named = files.flatMap((file) =>
    [...readFileSync(join(projectDir, file), 'utf8').matchAll(/^export (?:async )?(?:function|const) (\w+Of)\b/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  assert.equal(named, []);
});

test('doc comments name the thing, or begin with a verb', () => {
  const headless = [...sources('kernel'), ...sources('plugins', /\.tsx?$/)].flatMap((file) =>
    [
      ...readFileSync(join(projectDir, file), 'utf8').matchAll(
        /^\s*(?:\/\*\*\s(?:\s*\* )?)((?:What|Whom|That of|Those of)\b.*)$/gm,
      ),
    ].map(([, text]) => `${file}: ${text}`),
  );
  assert.equal(headless, []);
});

/** The names of the members that an interface declares itself. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{([^]*?)^\\}`, 'm').exec(text)?.[1] ?? '';
  return [...body.matchAll(/^  (?:readonly )?(\w+)[?(<:]/gm)].map(([, member = '']) => member);
}

test('an error that is swallowed says why it may be', () => {
  const silent = files.flatMap((file) => {
    const lines = readFileSync(join(projectDir, file), 'utf8').split('\n');
    return lines.flatMap((line, i) => {
      if (!/\bcatch \{|\.catch\(\(\) =>/.test(line)) return [];
      const around = lines.slice(i - 1, i + 3).join('\n');
      return /\/\/|\*\//.test(around) ? [] : [`${file}:${i + 1}`];
    });
  });
  assert.equal(silent, []);
});

test('the contract with plugins stays small', () => {
  const [host, route] = [
    membersOf('kernel/contract/plugin.ts', 'Host'),
    membersOf('kernel/contract/route-spec.ts', 'RouteSpec'),
  ];
  assert.ok(host.includes('gather') && route.includes('path'), 'the members were found');
  assert.ok(host.length <= 12, host.join(' '));
  assert.ok(route.length <= 20, route.join(' '));
});

test('no plugin is longer than a reader can hold', () => {
  const lines = new Map<string, number>();
  for (const file of files.filter((each) => each.startsWith('plugins/'))) {
    const plugin = pluginOf(file) ?? '';
    const inFile = readFileSync(join(projectDir, file), 'utf8').match(/\n/g)?.length ?? 0;
    lines.set(plugin, (lines.get(plugin) ?? 0) + inFile);
  }
  assert.ok(lines.size > 20, 'the files of plugins were found');
  assert.equal(
    [...lines].filter(([, n]) => n > PLUGIN_LINES),
    [],
  );
});

test('files are named for what is in them, and no folder of the kernel is a crowd', () => {
  const bad = files.filter(
    (file) =>
      !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file)) || /\b(utils?|helpers?|common|misc|manager)\b/.test(file),
  );
  assert.equal(bad, []);
  for (const folder of new Set(files.filter((file) => file.startsWith('kernel/')).map(dirname))) {
    const inside = files.filter((file) => dirname(file) === folder);
    assert.ok(inside.length <= FILES_IN_A_FOLDER, `${folder} has ${inside.length} files`);
  }
});

test('the top level is what it is, dot-files included', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: projectDir, encoding: 'utf8' }).split('\n');
  const top = new Set(tracked.filter((path) => path !== '').map((path) => path.split('/')[0] ?? ''));
  assertNone([...top], (name) => !TOP_LEVEL.includes(name));
});

/** What only SQLite takes, or takes in its own way; `kernel/store/store.ts` says what to write instead. */
const ONLY_SQLITE =
  /\b(?:insert or (?:ignore|replace)|replace into|group_concat|iif|ifnull|glob|json_(?:extract|group_\w+)|strftime|unixepoch|rowid|last_insert_rowid|pragma|sqlite_\w+|limit -1|collate nocase|on conflict do update|(?:min|max)\((?:[\w.]+|count\(\*\)), )/gi;
/** Files that speak with SQLite, because their tables are in the local store or in a customer's file. */
const OF_SQLITE = [
  /^kernel\/store\/(?:sqlite\/|local-store\.ts$)/,
  /^plugins\/(?:quota|websites|usage\/history)\/store\.ts$/,
  /^plugins\/(?:databases|database-moves)\//,
  /^plugins\/mysql\/(?:processes|users\/(?:users|temporary-users|sessions))\.ts$/,
  /^plugins\/mysql-conf\/(?:users\/limits|variables\/(?:customer-values|server-variables))\.ts$/,
];

test('SQL of the store is in the dialect of both engines', () => {
  const inQuotes = (text: string) => [...text.matchAll(/(['"`])(?:select|insert|update|delete|with)\b[\s\S]*?\1/g)];
  const sql = files
    .filter((file) => /^(?:kernel|plugins)\//.test(file) && !OF_SQLITE.some((each) => each.test(file)))
    .flatMap((file) => inQuotes(readFileSync(join(projectDir, file), 'utf8')).map(([text]) => [file, text] as const));
  assert.ok(sql.length > 50, 'statements were found');
  const strays = sql.flatMap(([file, text]) => [...text.matchAll(ONLY_SQLITE)].map(([word]) => `${file}: ${word}`));
  assert.equal(strays, []);
});
