import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { originIssue } from './origin.ts';
import { messageOf } from '../errors.ts';
import { Validator } from './validator.ts';
import { projectDir } from '../system/project-dir.ts';
import { Type, type Static } from '../schema.ts';

const HostPort = Type.String({ pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5}$', description: 'host:port' });
const closed = { additionalProperties: false } as const;

/** The kernel's own settings. A top-level object under a plugin's name is that plugin's, checked by its own schema. */
const KernelConfig = Type.Object({
  edition: Type.Union([Type.Literal('enterprise'), Type.Literal('community')], {
    description: 'community closes the end-user API',
  }),
  listen: HostPort,
  admin_listen: HostPort,
  admin_hosts: Type.Array(Type.String(), {
    description: 'Host names, besides localhost and literal addresses, that the admin address answers to',
  }),
  cors_origins: Type.Array(Type.String(), {
    description: 'Origins of web pages, besides its own, that a browser lets use the end-user address',
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
          'For how long browsers are told to come by HTTPS only (RFC 6797), to every port of the host name; 0 = they are not',
      }),
    },
    { ...closed, description: 'PEM files; both or neither' },
  ),
  trusted_proxies: Type.Array(Type.String(), { description: 'Addresses or CIDR ranges whose X-Forwarded-For counts' }),
  data: Type.String({ minLength: 1, description: 'Folder of the store and the keys' }),
  files_root: Type.String({
    minLength: 1,
    description: 'Where the files of an account live; {data} and {username} are replaced',
  }),
  virtual_root: Type.String({ pattern: '^/([^/]+/)*[^/]+$', description: 'How clients see the files root' }),
  token: Type.Object({ ttl_seconds: Type.Integer({ minimum: 60, maximum: 2_592_000 }) }, closed),
  log: Type.Object(
    { level: Type.String({ enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] }) },
    closed,
  ),
  external_features: Type.Array(Type.String(), {
    default: [],
    description: 'Features that other software of the operator provides, so that accounts that hold them see them',
  }),
  plugins: Type.Record(Type.String(), Type.Boolean(), {
    description: 'false switches a plugin off for the whole server',
  }),
});

export interface Config extends Static<typeof KernelConfig> {
  /** Settings of plugins by the plugin's name, not yet checked. */
  readonly sections: Readonly<Record<string, unknown>>;
}

/** A configuration that cannot be used; the message names the file and the setting. */
export class ConfigError extends Error {}

/**
 * Defaults from `config/hostkeep.json`, over them the named file, over it `HOSTKEEP_DATA`, `HOSTKEEP_LISTEN`
 * and `HOSTKEEP_ADMIN_LISTEN`. Objects are merged, everything else replaces. Throws `ConfigError`.
 */
export function loadConfig(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  defaults: Record<string, unknown> = {},
): Config {
  const merged = merge(
    merge(readJson(join(projectDir, 'config/hostkeep.json')), defaults),
    file === undefined ? {} : readJson(file),
  );
  if (env['HOSTKEEP_DATA']) merged['data'] = env['HOSTKEEP_DATA'];
  if (env['HOSTKEEP_LISTEN']) merged['listen'] = env['HOSTKEEP_LISTEN'];
  if (env['HOSTKEEP_ADMIN_LISTEN']) merged['admin_listen'] = env['HOSTKEEP_ADMIN_LISTEN'];
  return checkConfig(merged, file ?? 'the configuration');
}

/** Splits kernel settings from plugin sections and checks the former. */
export function checkConfig(merged: Record<string, unknown>, source: string): Config {
  const kernel: Record<string, unknown> = {};
  const sections: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(merged))
    (name in KernelConfig.properties ? kernel : sections)[name] = value;
  const [issue] = new Validator(KernelConfig).issues(kernel);
  if (issue !== undefined)
    throw new ConfigError(`${source}: ${issue.path.slice(1).replaceAll('/', '.')} ${issue.message}`);
  const config = { ...(kernel as Static<typeof KernelConfig>), sections };
  if ((config.tls.cert === '') !== (config.tls.key === ''))
    throw new ConfigError(`${source}: tls needs both cert and key`);
  for (const setting of ['cors_origins', 'admin_cors_origins'] as const) {
    const wrong = config[setting].map(originIssue).find((each) => each !== undefined);
    if (wrong !== undefined) throw new ConfigError(`${source}: ${setting}: ${wrong}`);
  }
  return { ...config, data: resolve(config.data) };
}

/** Reads a JSON file that holds an object. Throws `ConfigError`. */
export function readJson(file: string): Record<string, unknown> {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    if (!isObject(value)) throw new Error('is not a JSON object');
    return value;
  } catch (error) {
    throw new ConfigError(`${file}: ${messageOf(error)}`);
  }
}

function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isObject(value) && isObject(below) ? merge(below, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
