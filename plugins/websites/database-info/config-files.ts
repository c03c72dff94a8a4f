/** Where each application keeps the access to its database, and how it is written there. */
import { parseEnv } from './env-file.ts';
import { PhpFile } from './php-evaluator.ts';
import { PhpArray, textOf, type PhpValue } from './php-value.ts';

export interface DatabaseAccess {
  readonly name: PhpValue;
  readonly user: PhpValue;
  readonly password: PhpValue;
  readonly host: PhpValue;
  readonly prefix: PhpValue;
}

export interface ConfigFile {
  /** Below the application's root; `..` in front is the folder above it. */
  readonly path: string;
  readonly read: (text: string) => DatabaseAccess | undefined;
}

type Names = readonly [name: string, user: string, password: string, host: string, prefix: string];

function access(get: (name: string) => PhpValue, [name, user, password, host, prefix]: Names): DatabaseAccess {
  return { name: get(name), user: get(user), password: get(password), host: get(host), prefix: get(prefix) };
}

const fromConstants =
  (names: Names) =>
  (text: string): DatabaseAccess => {
    const { constants } = new PhpFile(text);
    return access((name) => constants.get(name), names);
  };

const fromVariables =
  (names: Names) =>
  (text: string): DatabaseAccess => {
    const { variables } = new PhpFile(text);
    return access((name) => variables.get(name), names);
  };

/** Members of an array or object that `find` picks out of the file. */
const fromMembers =
  (find: (file: PhpFile) => PhpValue, names: Names) =>
  (text: string): DatabaseAccess | undefined => {
    const members = find(new PhpFile(text));
    return members instanceof PhpArray ? access((name) => members.get(name), names) : undefined;
  };

/** A value inside arrays, by the keys that lead to it. */
function inside(value: PhpValue, ...keys: readonly string[]): PhpValue {
  return keys.reduce<PhpValue>((held, key) => (held instanceof PhpArray ? held.get(key) : undefined), value);
}

function wordpress(text: string): DatabaseAccess {
  const { constants, variables } = new PhpFile(text);
  return access(
    (name) => (name === 'table_prefix' ? variables.get(name) : constants.get(name)),
    ['DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_HOST', 'table_prefix'],
  );
}

function drupal(text: string): DatabaseAccess | undefined {
  const main = inside(new PhpFile(text).variables.get('databases'), 'default', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  const found = access((name) => main.get(name), ['database', 'username', 'password', 'host', 'prefix']);
  const port = textOf(main.get('port')) ?? '';
  const prefix = found.prefix instanceof PhpArray ? found.prefix.get('default') : found.prefix;
  return { ...found, prefix, host: port === '' ? found.host : `${textOf(found.host) ?? ''}:${port}` };
}

function magento(text: string): DatabaseAccess | undefined {
  const { returned } = new PhpFile(text);
  const main = inside(returned, 'db', 'connection', 'default');
  if (!(main instanceof PhpArray)) return undefined;
  return {
    ...access((name) => main.get(name), ['dbname', 'username', 'password', 'host', '']),
    prefix: inside(returned, 'db', 'table_prefix'),
  };
}

/** A `.env`: single settings, or a URL with all of them. */
function env(text: string): DatabaseAccess | undefined {
  const values = parseEnv(text);
  const url = values.get('DATABASE_URL') ?? values.get('DB_URL') ?? '';
  if (url !== '' && URL.canParse(url)) return fromUrl(new URL(url));
  return values.has('DB_DATABASE')
    ? access((name) => values.get(name), ['DB_DATABASE', 'DB_USERNAME', 'DB_PASSWORD', 'DB_HOST', 'DB_PREFIX'])
    : undefined;
}

function fromUrl({ pathname, username, password, host }: URL): DatabaseAccess {
  return { name: decoded(pathname.slice(1)), user: decoded(username), password: decoded(password), host, prefix: '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % stands for itself
  }
}

const ENV_FILES: readonly ConfigFile[] = [
  { path: '.env.local', read: env },
  { path: '.env', read: env },
];

/** By type of application; the first file that is there and tells of a database counts. */
export const CONFIG_FILES: Readonly<Record<string, readonly ConfigFile[]>> = {
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
        (file) => inside(file.returned, 'parameters'),
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
