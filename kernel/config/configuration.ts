import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigLayers } from './config-layers.ts';
import { originIssue } from './origin.ts';
import { messageOf, type Issue } from '../errors.ts';
import { isSecretFile, readSecretFiles } from './secrets.ts';
import { isObject } from './plain-check.ts';
import { settingsIssues } from './validator.ts';
import { findFiles } from '../system/find-files.ts';
import { projectDir } from '../system/project-dir.ts';
import { Type, type Static } from '../schema.ts';

const HostPort = Type.String({ pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5}$', description: 'host:port' });
/** The defaults of the kernel's settings, in the project's folder. */
export const SHIPPED = 'config/hostkeep.json';
const closed = { additionalProperties: false } as const;

/** The kernel's own settings. A top-level object named after a plugin holds the settings of that plugin. */
export const KernelConfig = Type.Object({
  $schema: Type.Optional(Type.String({ description: 'Where editors find the output of `hostkeep config schema`' })),
  edition: Type.Union([Type.Literal('enterprise'), Type.Literal('community')], {
    description: 'community closes the end-user API',
  }),
  listen: HostPort,
  admin_listen: HostPort,
  admin_hosts: Type.Array(Type.String(), {
    description: 'Host names that the admin address accepts in addition to localhost and literal IP addresses',
  }),
  cors_origins: Type.Array(Type.String(), {
    description: 'Other origins whose web pages a browser lets use the end-user address',
  }),
  admin_cors_origins: Type.Array(Type.String(), { description: 'The same for the admin address' }),
  tls: Type.Object(
    {
      cert: Type.String(),
      key: Type.String(),
      hsts_seconds: Type.Integer({
        minimum: 0,
        default: 0,
        description:
          'How long browsers must use HTTPS for every port of the host name (RFC 6797); 0 = no such header is sent',
      }),
    },
    { ...closed, description: 'PEM files; both or neither' },
  ),
  trusted_proxies: Type.Array(Type.String(), { description: 'Addresses or CIDR ranges whose X-Forwarded-For counts' }),
  proxy_secret: Type.String({
    pattern: '^([!-~]{16,200})?$',
    default: '',
    writeOnly: true,
    description: 'What trusted proxies send as X-Proxy-Secret to be believed; empty = their address is enough',
  }),
  data: Type.String({ minLength: 1, description: 'Folder of the store and the keys' }),
  store: Type.Object(
    {
      url: Type.String({
        pattern: '^(postgres(ql)?://.+)?$',
        default: '',
        description:
          'A database of PostgreSQL for accounts, plans, sessions, domains and events: postgres://user@host:5432/name, with several hosts separated by commas; the one that accepts writes is used, and after a failover the one that was promoted. ?sslmode=verify-full encrypts, and refuses a server whose certificate is not of its host name or not signed by an authority in the file sslrootcert=…, or of the system; without it nothing is encrypted. Empty = the file hostkeep.db in the data folder',
      }),
      password: Type.String({ default: '', writeOnly: true, description: 'The password of its user' }),
      connections: Type.Integer({
        minimum: 3,
        maximum: 1000,
        default: 17,
        description:
          'How many connections to that database the node has at most: one listens, the others are divided among its workers, of which each has at least two. Commands take one or two more while they run',
      }),
      stale_seconds: Type.Integer({
        minimum: 0,
        maximum: 300,
        default: 10,
        description: 'How long sessions that are remembered are good for while that database cannot be reached',
      }),
    },
    { ...closed, default: {}, description: 'Where the store is' },
  ),
  files_root: Type.String({
    minLength: 1,
    description: "Folder of an account's files; {data} and {username} are replaced",
  }),
  removed_root: Type.String({
    default: '',
    description:
      'Folder for the files of removed accounts, on the same file system; {data} is replaced. Empty = .removed beside ' +
      'the folders of the accounts',
  }),
  virtual_root: Type.String({ pattern: '^/([^/]+/)*[^/]+$', description: 'Path of the files root as clients see it' }),
  token: Type.Object({ ttl_seconds: Type.Integer({ minimum: 60, maximum: 2_592_000 }) }, closed),
  log: Type.Object(
    { level: Type.String({ enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] }) },
    closed,
  ),
  jobs: Type.Object(
    {
      processes: Type.Integer({ minimum: 1, maximum: 256, default: 8, description: 'Maximum number of processes' }),
      memory_mib: Type.Integer({ minimum: 128, default: 256, description: 'Maximum memory of one process' }),
    },
    { ...closed, default: {}, description: "Processes that read and write customers' files, each for one account" },
  ),
  ids: Type.Object(
    {
      first: Type.Integer({
        minimum: 0,
        maximum: 4_000_000_000,
        default: 200_000,
        description:
          'The user id of the account 0; that of each other is larger by its number. 0 = accounts have none of their own',
      }),
      count: Type.Integer({
        minimum: 1,
        maximum: 200_000_000,
        default: 1_000_000,
        description: 'How many user ids there are',
      }),
      web_group: Type.String({
        default: 'www-data',
        description: "The group of the web server, which may enter accounts' folders; empty = nobody else may",
      }),
      system_users: Type.Boolean({
        default: false,
        description: 'Whether the user of the system with the name of an account may own its folder',
      }),
    },
    {
      ...closed,
      default: {},
      description: "The users that own accounts' files, where the service has the right to choose",
    },
  ),
  broker: Type.Object(
    {
      socket: Type.String({
        default: '',
        description: 'The Unix socket of `hostkeep broker`; empty = the service does with its own rights what it can',
      }),
      state: Type.String({
        default: '/var/lib/hostkeep-broker',
        description: "The broker's own folder, for what accounts' processes keep",
      }),
    },
    { ...closed, default: {}, description: 'The process that has the rights which the service does without' },
  ),
  external_features: Type.Array(Type.String(), {
    default: [],
    description: 'Features that other software provides; accounts that have them see them',
  }),
  include: Type.Array(Type.String(), {
    default: [],
    description: 'Patterns of further files, relative to this one; they override it in the order of their names',
  }),
  plugins: Type.Record(Type.String(), Type.Boolean(), {
    description: 'false switches a plugin off for the whole server, true switches one on that is off unless told so',
  }),
});

/** A configuration whose kernel settings are valid. */
export interface Config extends Static<typeof KernelConfig> {
  /** Settings of plugins by plugin name, not yet validated. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** Names the file that set a member, given as `tls.cert`, for messages about its value. */
  sourceOf(path: string): string;
  /** Names the file or the variable that set exactly this member; `undefined` for a default of its schema. */
  originOf(path: string): string | undefined;
}

/** An invalid configuration; the message names the file and the setting. */
export class ConfigError extends Error {}

/** The configuration of an installed node. Commands find it without being told its name. */
const INSTALLED = '/etc/hostkeep/hostkeep.json';

/** Returns the configuration file that is read if none is named; `undefined` if there is none. */
export function installedConfig(file = INSTALLED): string | undefined {
  return existsSync(file) ? file : undefined;
}

/**
 * Reads the configuration: `config/hostkeep.json`, overridden by `defaults`, the named file, the files that it includes, and
 * the environment (`VARIABLES`), in this order. Objects are merged; other values are replaced. Throws `ConfigError`.
 */
export function loadConfig(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  defaults: Record<string, unknown> = {},
): Config {
  return configOf(readLayers(file, env, defaults), file);
}

/** Returns the configuration that layers make; `file` is the one that messages name by default. Throws `ConfigError`. */
export function configOf(layers: ConfigLayers, file: string | undefined): Config {
  const sourceOf = (path: string) => layers.sourceOf(path) ?? file ?? 'the configuration';
  return checkConfig(layers.merged, sourceOf, (path) => layers.originOf(path));
}

/** Settings that only a restart changes. */
const FIXED = [
  'data',
  'store',
  'files_root',
  'removed_root',
  'ids',
  'broker',
  'listen',
  'admin_listen',
  'tls',
] as const;

/** Throws `ConfigError` unless a running process, which goes by the settings `names`, can change from one configuration to the other. */
export function assertReloadable(from: Config, to: Config, names: readonly (keyof Config)[] = FIXED): void {
  const fixed = (each: Config) => JSON.stringify(names.map((name) => each[name]));
  if (fixed(from) !== fixed(to))
    throw new ConfigError(`changes of ${names.slice(0, -1).join(', ')} and ${names.at(-1)} need a restart`);
}

/** Reads the files of a configuration with `read`, and puts them and the environment over each other, unchecked. */
export function readLayers(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  defaults: Record<string, unknown> = {},
  read: (path: string) => Record<string, unknown> = readJson,
): ConfigLayers {
  const layers = new ConfigLayers();
  layers.lay(SHIPPED, readJson(join(projectDir, SHIPPED)));
  layers.lay('the defaults', defaults);
  if (file !== undefined) {
    const named = read(file);
    layers.lay(file, named);
    for (const path of includedFiles(file, named['include'])) layers.lay(path, read(path));
  }
  for (const [name, setting] of Object.entries(VARIABLES))
    if (env[name]) layers.lay(name, nested(setting.split('.'), env[name]));
  return layers;
}

/** The variables that override single settings. */
export const VARIABLES = {
  HOSTKEEP_DATA: 'data',
  HOSTKEEP_FILES_ROOT: 'files_root',
  HOSTKEEP_LISTEN: 'listen',
  HOSTKEEP_ADMIN_LISTEN: 'admin_listen',
  HOSTKEEP_STORE_URL: 'store.url',
} as const;

/** Returns `{ a: { b: value } }` for the names `a` and `b`. */
function nested([name = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}

function includedFiles(file: string, patterns: unknown): string[] {
  if (!Array.isArray(patterns)) return [];
  const folder = dirname(resolve(file));
  return patterns.flatMap((pattern) => findFiles(String(pattern), folder)).map((path) => resolve(folder, path));
}

/** Separates the kernel's settings from the plugins' and validates the former. Throws `ConfigError`. */
export function checkConfig(
  merged: Record<string, unknown>,
  sourceOf: Config['sourceOf'],
  originOf: Config['originOf'] = sourceOf,
): Config {
  const kernel: Record<string, unknown> = {};
  const sections: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(merged))
    (name in KernelConfig.properties || isSecretFile(KernelConfig, name) ? kernel : sections)[name] = value;
  const refuse = ({ path, message }: Issue): never => {
    const setting = path.slice(1).replaceAll('/', '.');
    throw new ConfigError(`${sourceOf(setting)}: ${setting} ${message}`);
  };
  const { issues, files } = readSecretFiles(KernelConfig, kernel);
  const [issue] = [...issues, ...settingsIssues(KernelConfig, kernel)];
  if (issue !== undefined) refuse(issue);
  const [broken] = ruleIssues(kernel);
  if (broken !== undefined) refuse(broken);
  const config = { ...(kernel as Static<typeof KernelConfig>), sections, originOf };
  return { ...config, sourceOf: (path) => files.get(path) ?? sourceOf(path), data: resolve(config.data) };
}

/** Returns what the schema of the kernel's settings cannot say. `settings` must have passed it. */
export function ruleIssues(settings: Record<string, unknown>): Issue[] {
  const config = settings as Static<typeof KernelConfig>;
  const origins = (['cors_origins', 'admin_cors_origins'] as const).flatMap((setting) =>
    config[setting].flatMap((origin, i): Issue[] => {
      const message = originIssue(origin);
      return message === undefined ? [] : [{ path: `/${setting}/${i}`, message }];
    }),
  );
  const { cert, key } = config.tls;
  if ((cert === '') === (key === '')) return origins;
  const [given, missing] = cert === '' ? ['key', 'cert'] : ['cert', 'key'];
  return [{ path: `/tls/${given}`, message: `needs tls.${missing} beside it: set both or neither` }, ...origins];
}

/** Reads a JSON file that holds an object. Throws `ConfigError` if it cannot be read or holds anything else. */
export function readJson(file: string): Record<string, unknown> {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    if (!isObject(value)) throw new Error('is not a JSON object');
    return value;
  } catch (error) {
    throw new ConfigError(`${file}: ${messageOf(error)}`);
  }
}
