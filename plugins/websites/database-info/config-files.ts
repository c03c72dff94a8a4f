/** The configuration file of each application, and how its database settings are written there. */
import type { TypeWithDatabase } from '../detection/detectors.ts';
import { parseEnv } from './env-file.ts';
import { PhpFile } from './php-evaluator.ts';
import { PhpArray, asText, type PhpValue } from './php-value.ts';

export interface DatabaseSettings {
  readonly name: PhpValue;
  readonly user: PhpValue;
  readonly password: PhpValue;
  readonly host: PhpValue;
  readonly prefix: PhpValue;
  /** The kind of server that it is set up for, in the application's own words. */
  readonly engine?: PhpValue;
}

/** Returns the settings in a file's text; `undefined` for none. */
export type ReadSettings = (text: string) => DatabaseSettings | undefined;

/** Reads settings by their names there: name, user, password, host, prefix and engine, with a space between. */
function settings(get: (name: string) => PhpValue, names: string): DatabaseSettings {
  const [name, user, password, host, prefix, engine] = names.split(' ').map(get);
  return { name, user, password, host, prefix, engine };
}

const fromConstants =
  (names: string) =>
  (text: string): DatabaseSettings => {
    const { constants } = new PhpFile(text);
    return settings((name) => constants.get(name), names);
  };

const fromVariables =
  (names: string) =>
  (text: string): DatabaseSettings => {
    const { variables } = new PhpFile(text);
    return settings((name) => variables.get(name), names);
  };

/** Reads the members of the array or object that `find` returns. */
const fromMembers =
  (find: (file: PhpFile) => PhpValue, names: string) =>
  (text: string): DatabaseSettings | undefined => {
    const members = find(new PhpFile(text));
    return members instanceof PhpArray ? settings((name) => members.get(name), names) : undefined;
  };

/** The value at a path of keys in nested arrays. */
function valueAt(value: PhpValue, ...keys: readonly string[]): PhpValue {
  return keys.reduce<PhpValue>((array, key) => (array instanceof PhpArray ? array.get(key) : undefined), value);
}

function wordpress(text: string): DatabaseSettings {
  const { constants, variables } = new PhpFile(text);
  return settings(
    (name) => (name === 'table_prefix' ? variables.get(name) : constants.get(name)),
    'DB_NAME DB_USER DB_PASSWORD DB_HOST table_prefix',
  );
}

function drupal(text: string): DatabaseSettings | undefined {
  const main = valueAt(new PhpFile(text).variables.get('databases'), 'default', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  const found = settings((name) => main.get(name), 'database username password host prefix driver');
  const port = asText(main.get('port')) ?? '';
  const prefix = found.prefix instanceof PhpArray ? found.prefix.get('default') : found.prefix;
  return { ...found, prefix, host: port === '' ? found.host : `${asText(found.host) ?? ''}:${port}` };
}

function magento(text: string): DatabaseSettings | undefined {
  const { returned } = new PhpFile(text);
  const main = valueAt(returned, 'db', 'connection', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  return {
    ...settings((name) => main.get(name), 'dbname username password host '),
    prefix: valueAt(returned, 'db', 'table_prefix'),
  };
}

/** A `.env` file: single settings, or a URL with all of them. */
function env(text: string): DatabaseSettings | undefined {
  const values = parseEnv(text);
  const url = values.get('DATABASE_URL') ?? values.get('DB_URL') ?? '';
  if (url !== '' && URL.canParse(url)) return fromUrl(new URL(url));
  return values.has('DB_DATABASE')
    ? settings((name) => values.get(name), 'DB_DATABASE DB_USERNAME DB_PASSWORD DB_HOST DB_PREFIX DB_CONNECTION')
    : undefined;
}

function fromUrl({ protocol, pathname, username, password: secret, host }: URL): DatabaseSettings {
  const [name, user, password] = [pathname.slice(1), username, secret].map(decoded);
  return { name, user, password, host, prefix: '', engine: protocol };
}

/** Decodes a part of a URL. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that begins no escape stands for itself
  }
}

/**
 * By application type, and by the file's path below the application's root; `..` in front means the folder above it. The first file that
 * exists and names a database is used.
 */
export const CONFIG_FILES: Readonly<Record<TypeWithDatabase, Readonly<Record<string, ReadSettings>>>> = {
  wordpress: { 'wp-config.php': wordpress, '../wp-config.php': wordpress },
  joomla: {
    'configuration.php': fromMembers((file) => file.classes.get('JConfig'), 'db user password host dbprefix dbtype'),
  },
  drupal: { 'sites/default/settings.local.php': drupal, 'sites/default/settings.php': drupal },
  laravel: { '.env': env },
  symfony: { '.env.local': env, '.env': env },
  prestashop: {
    'app/config/parameters.php': fromMembers(
      (file) => valueAt(file.returned, 'parameters'),
      'database_name database_user database_password database_host database_prefix',
    ),
    'config/settings.inc.php': fromConstants('_DB_NAME_ _DB_USER_ _DB_PASSWD_ _DB_SERVER_ _DB_PREFIX_'),
  },
  opencart: { 'config.php': fromConstants('DB_DATABASE DB_USERNAME DB_PASSWORD DB_HOSTNAME DB_PREFIX DB_DRIVER') },
  magento: { 'app/etc/env.php': magento },
  nextcloud: {
    'config/config.php': fromMembers(
      (file) => file.variables.get('CONFIG'),
      'dbname dbuser dbpassword dbhost dbtableprefix dbtype',
    ),
  },
  mediawiki: { 'LocalSettings.php': fromVariables('wgDBname wgDBuser wgDBpassword wgDBserver wgDBprefix wgDBtype') },
  moodle: {
    'config.php': fromMembers((file) => file.variables.get('CFG'), 'dbname dbuser dbpass dbhost prefix dbtype'),
  },
  phpbb: { 'config.php': fromVariables('dbname dbuser dbpasswd dbhost table_prefix dbms') },
};
