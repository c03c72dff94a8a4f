import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { originIssue } from './origin.ts';
import { messageOf } from '../errors.ts';
import { Validator } from './validator.ts';
import { projectDir } from '../system/project-dir.ts';
import { Type, type Static } from '../schema.ts';

const HostPort = Type.String({ pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5}$', description: 'host:port' });
const closed = { additionalProperties: false } as const;

/** The kernel's own settings. A top-level object named after a plugin holds the settings of that plugin. */
export const KernelConfig = Type.Object({
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
  data: Type.String({ minLength: 1, description: 'Folder of the store and the keys' }),
  files_root: Type.String({
    minLength: 1,
    description: "Folder of an account's files; {data} and {username} are replaced",
  }),
  virtual_root: Type.String({ pattern: '^/([^/]+/)*[^/]+$', description: 'Path of the files root as clients see it' }),
  token: Type.Object({ ttl_seconds: Type.Integer({ minimum: 60, maximum: 2_592_000 }) }, closed),
  log: Type.Object(
    { level: Type.String({ enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] }) },
    closed,
  ),
  external_features: Type.Array(Type.String(), {
    default: [],
    description: 'Features that other software provides; accounts that have them see them',
  }),
  plugins: Type.Record(Type.String(), Type.Boolean(), {
    description: 'false switches a plugin off for the whole server',
  }),
});

export interface Config extends Static<typeof KernelConfig> {
  /** Settings of plugins by plugin name, not yet validated. */
  readonly sections: Readonly<Record<string, unknown>>;
}

/** An invalid configuration; the message names the file and the setting. */
export class ConfigError extends Error {}

/**
 * Reads the configuration: `config/hostkeep.json`, overridden by `defaults`, the named file, and `HOSTKEEP_DATA`,
 * `HOSTKEEP_LISTEN` and `HOSTKEEP_ADMIN_LISTEN`, in this order. Objects are merged; other values are replaced. Throws
 * `ConfigError`.
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

/** Separates the kernel's settings from the plugins' and validates the former. Throws `ConfigError`. */
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
