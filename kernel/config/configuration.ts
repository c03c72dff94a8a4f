import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { ConfigLayers } from './config-layers.ts';
import { originIssue } from './origin.ts';
import { errorMessage, type Issue } from '../errors.ts';
import { KernelConfig } from './kernel-config.ts';
import { isSecretFile, readSecretFiles } from './secrets.ts';
import { settingsIssues } from './validator.ts';
import { IpRanges } from '../kit/net/ip.ts';
import { splitHostPort } from '../kit/net/host-port.ts';
import { findFiles } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { isObject, type Static } from '../schema.ts';

/** The defaults of the kernel's settings, in the project's folder. */
export const SHIPPED = 'config/hostkeep.json';
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
 * Reads `config/hostkeep.json`, overridden by `defaults`, the named file, the files that it includes, and the environment
 * (`VARIABLES`), in this order. Objects are merged; other values are replaced. Throws `ConfigError`.
 */
export function loadConfig(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  defaults: Record<string, unknown> = {},
): Config {
  return mergeConfig(readLayers(file, env, defaults), file);
}

/** Returns the configuration that layers make; `file` is the one that messages name by default. Throws `ConfigError`. */
export function mergeConfig(layers: ConfigLayers, file: string | undefined): Config {
  const sourceOf = (path: string) => layers.sourceOf(path) ?? file ?? 'the configuration';
  return checkConfig(layers.merged, sourceOf, (path) => layers.originOf(path));
}

/** Settings that only a restart changes. */
export const FIXED: readonly (keyof Config)[] = [
  ...(['data', 'store', 'files_root', 'removed_root', 'ids', 'broker', 'jobs'] as const),
  ...(['listen', 'admin_listen', 'tls'] as const),
];

/** Throws `ConfigError` unless a running process, which goes by the settings `names`, can change from one configuration to the other. */
export function assertReloadable(from: Config, to: Config, names = FIXED): void {
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

/** Returns `{ a: { b: value } }` for the names `a` and `b`, with what `beside` has. */
function nested(
  [name = '', ...rest]: readonly string[],
  value: unknown,
  beside: unknown = {},
): Record<string, unknown> {
  const members = isObject(beside) ? beside : {};
  return { ...members, [name]: rest.length === 0 ? value : nested(rest, value, members[name]) };
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
  const [data, own] = [resolve(config.data), serverPem(config)];
  const tls = own === undefined ? config.tls : { ...config.tls, cert: own, key: own };
  return { ...config, sourceOf: (path) => files.get(path) ?? sourceOf(path), data, tls };
}

/** Returns a configuration with one member set by another source, named as `sourceOf` names files. Throws `ConfigError`. */
export function withSetting(config: Config, path: string, value: unknown, source: string): Config {
  const { sections, sourceOf, originOf, ...kernel } = config;
  const isIts = (each: string) => each === path || each.startsWith(`${path}.`);
  return checkConfig(
    nested(path.split('.'), value, structuredClone({ ...kernel, ...sections })),
    (each) => (isIts(each) ? source : sourceOf(each)),
    (each) => (isIts(each) ? source : originOf(each)),
  );
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
  return [...addressIssues(config), ...tlsIssues(config), ...filesIssues(config), ...proxyIssues(config), ...origins];
}

/** All accounts in one folder would have each other's files. */
function filesIssues({ files_root: root }: Pick<Config, 'files_root'>): Issue[] {
  const path = '/files_root';
  if (!root.includes('{username}')) return [{ path, message: 'does not contain {username}' }];
  return /^(\/|\{data\}\/)/.test(root) ? [] : [{ path, message: 'is no absolute path' }];
}

function proxyIssues({ trusted_proxies: ranges }: Pick<Config, 'trusted_proxies'>): Issue[] {
  return ranges.flatMap((range, i): Issue[] => {
    try {
      void new IpRanges([range]);
      return [];
    } catch (error) {
      return [{ path: `/trusted_proxies/${i}`, message: `does not fit: ${errorMessage(error)}` }];
    }
  });
}

/** Returns the file of the server's own certificate and key; `undefined` where settings name files. */
const serverPem = ({ data, tls }: Pick<Config, 'data' | 'tls'>): string | undefined =>
  tls.host_name === '' ? undefined : join(resolve(data), 'tls.pem');

function tlsIssues(config: Pick<Config, 'data' | 'tls'>): Issue[] {
  const { cert, key } = config.tls;
  const own = serverPem(config);
  if (own !== undefined) {
    const isNamed = [cert, key].some((file) => file !== '' && file !== own);
    return isNamed ? [{ path: '/tls/host_name', message: 'needs tls.cert and tls.key empty' }] : [];
  }
  if ((cert === '') !== (key === '')) {
    const [given, missing] = cert === '' ? ['key', 'cert'] : ['cert', 'key'];
    return [{ path: `/tls/${given}`, message: `needs tls.${missing} beside it: set both or neither` }];
  }
  return Object.entries({ cert, key }).flatMap(([name, file]): Issue[] => {
    try {
      if (file !== '') accessSync(file, constants.R_OK);
      return [];
    } catch (error) {
      return [{ path: `/tls/${name}`, message: `cannot be read: ${errorMessage(error)}` }];
    }
  });
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Two servers at one address would each get a part of the requests, those to administrators' routes included. */
function addressIssues({ listen, admin_listen }: Pick<Config, 'listen' | 'admin_listen'>): Issue[] {
  const places = { listen: splitHostPort(listen), admin_listen: splitHostPort(admin_listen) };
  const wrong = Object.entries(places).flatMap(([setting, { host, port }]): Issue[] => {
    if (port > 65_535) return [{ path: `/${setting}`, message: 'has a port above 65535' }];
    const isNumeric = /^[\d.]+$|:/.test(host);
    return isNumeric && isIP(host) === 0 ? [{ path: `/${setting}`, message: `has no IP address: ${host}` }] : [];
  });
  const [user, admin] = [places.listen, places.admin_listen];
  const meets = user.host === admin.host || [user, admin].some(({ host }) => EVERY_ADDRESS.has(host));
  if (wrong.length > 0 || user.port === 0 || user.port !== admin.port || !meets) return wrong;
  return [{ path: '/admin_listen', message: `is taken by listen (${listen})` }];
}

/** Reads a JSON file that holds an object. Throws `ConfigError` if it cannot be read or holds anything else. */
export function readJson(file: string): Record<string, unknown> {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    if (!isObject(value)) throw new Error('is not a JSON object');
    return value;
  } catch (error) {
    throw new ConfigError(`${file}: ${errorMessage(error)}`);
  }
}
