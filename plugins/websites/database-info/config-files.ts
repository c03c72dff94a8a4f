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
}

interface ConfigFile {
  /** Below the application's root; `..` in front means the folder above it. */
  readonly path: string;
  readonly read: (text: string) => DatabaseSettings | undefined;
}

type Names = readonly [name: string, user: string, password: string, host: string, prefix: string];

function settings(get: (name: string) => PhpValue, [name, user, password, host, prefix]: Names): DatabaseSettings {
  return { name: get(name), user: get(user), password: get(password), host: get(host), prefix: get(prefix) };
}

const fromConstants =
  (names: Names) =>
  (text: string): DatabaseSettings => {
    const { constants } = new PhpFile(text);
    return settings((name) => constants.get(name), names);
  };

const fromVariables =
  (names: Names) =>
  (text: string): DatabaseSettings => {
    const { variables } = new PhpFile(text);
    return settings((name) => variables.get(name), names);
  };

/** Reads the members of the array or object that `find` returns. */
const fromMembers =
  (find: (file: PhpFile) => PhpValue, names: Names) =>
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
    ['DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_HOST', 'table_prefix'],
  );
}

function drupal(text: string): DatabaseSettings | undefined {
  const main = valueAt(new PhpFile(text).variables.get('databases'), 'default', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  const found = settings((name) => main.get(name), ['database', 'username', 'password', 'host', 'prefix']);
  const port = asText(main.get('port')) ?? '';
  const prefix = found.prefix instanceof PhpArray ? found.prefix.get('default') : found.prefix;
  return { ...found, prefix, host: port === '' ? found.host : `${asText(found.host) ?? ''}:${port}` };
}

function magento(text: string): DatabaseSettings | undefined {
  const { returned } = new PhpFile(text);
  const main = valueAt(returned, 'db', 'connection', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  return {
    ...settings((name) => main.get(name), ['dbname', 'username', 'password', 'host', '']),
    prefix: valueAt(returned, 'db', 'table_prefix'),
  };
}

/** A `.env` file: single settings, or a URL with all of them. */
function env(text: string): DatabaseSettings | undefined {
  const values = parseEnv(text);
  const url = values.get('DATABASE_URL') ?? values.get('DB_URL') ?? '';
  if (url !== '' && URL.canParse(url)) return fromUrl(new URL(url));
  return values.has('DB_DATABASE')
    ? settings((name) => values.get(name), ['DB_DATABASE', 'DB_USERNAME', 'DB_PASSWORD', 'DB_HOST', 'DB_PREFIX'])
    : undefined;
}

function fromUrl({ pathname, username, password, host }: URL): DatabaseSettings {
  return { name: decoded(pathname.slice(1)), user: decoded(username), password: decoded(password), host, prefix: '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that begins no escape stands for itself
  }
}

const ENV_FILES: readonly ConfigFile[] = [
  { path: '.env.local', read: env },
  { path: '.env', read: env },
];

/** By application type; the first file that exists and names a database is used. */
export const CONFIG_FILES: Readonly<Record<TypeWithDatabase, readonly ConfigFile[]>> = {
  wordpress: [
    { path: 'wp-config.php', read: wordpress },
    { path: '../wp-config.php', read: wordpress },
  ],
  joomla: [
    {
      path: 'configuration.php',
      read: fromMembers((file) => file.classes.get('JConfig'), ['db', 'user', 'password', 'host', 'dbprefix']),
    },
  ],
  drupal: [
    { path: 'sites/default/settings.local.php', read: drupal },
    { path: 'sites/default/settings.php', read: drupal },
  ],
  laravel: [{ path: '.env', read: env }],
  symfony: ENV_FILES,
  prestashop: [
    {
      path: 'app/config/parameters.php',
      read: fromMembers(
        (file) => valueAt(file.returned, 'parameters'),
        ['database_name', 'database_user', 'database_password', 'database_host', 'database_prefix'],
      ),
    },
    {
      path: 'config/settings.inc.php',
      read: fromConstants(['_DB_NAME_', '_DB_USER_', '_DB_PASSWD_', '_DB_SERVER_', '_DB_PREFIX_']),
    },
  ],
  opencart: [
    {
      path: 'config.php',
      read: fromConstants(['DB_DATABASE', 'DB_USERNAME', 'DB_PASSWORD', 'DB_HOSTNAME', 'DB_PREFIX']),
    },
  ],
  magento: [{ path: 'app/etc/env.php', read: magento }],
  nextcloud: [
    {
      path: 'config/config.php',
      read: fromMembers(
        (file) => file.variables.get('CONFIG'),
        ['dbname', 'dbuser', 'dbpassword', 'dbhost', 'dbtableprefix'],
      ),
    },
  ],
  mediawiki: [
    {
      path: 'LocalSettings.php',
      read: fromVariables(['wgDBname', 'wgDBuser', 'wgDBpassword', 'wgDBserver', 'wgDBprefix']),
    },
  ],
  moodle: [
    {
      path: 'config.php',
      read: fromMembers((file) => file.variables.get('CFG'), ['dbname', 'dbuser', 'dbpass', 'dbhost', 'prefix']),
    },
  ],
  phpbb: [{ path: 'config.php', read: fromVariables(['dbname', 'dbuser', 'dbpasswd', 'dbhost', 'table_prefix']) }],
};
