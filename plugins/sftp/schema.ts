import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { HASHED } from './passwords.ts';
import { MOST_KEYS } from './server/login-entry.ts';

/** Where the broker has what ProFTPD reads unless the settings say otherwise. */
export const BROKERS = '/var/lib/hostkeep-broker/sftp';

const path = (description: string, value: string) =>
  Type.String({ default: value, pattern: '^((/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$', description });
const number = (minimum: number, maximum: number, value: number, description: string) =>
  Type.Integer({ minimum, maximum, default: value, description });

export const SftpConfig = Type.Object(
  {
    folder: path(
      `Folder of what ProFTPD reads, which only root may open; empty = ${BROKERS}, and below the data where there is no broker`,
      '',
    ),
    pid_file: path('File with the process id of ProFTPD', '/run/proftpd.pid'),
    scoreboard: path('File in which ProFTPD says who is logged in', '/run/proftpd.scoreboard'),
    host: Type.String({
      default: '',
      maxLength: 253,
      pattern: '^[A-Za-z0-9.:-]*$',
      description: 'Name or address at which customers reach ProFTPD; empty = the one by which they reach the pages',
    }),
    address: Type.String({
      default: '',
      pattern: '^[0-9A-Fa-f.:]*$',
      description: 'Address at which ProFTPD serves SFTP; empty = all',
    }),
    port: number(1, 65_535, 2022, 'Port at which ProFTPD serves SFTP'),
    ftps: Type.Object(
      {
        port: number(0, 65_535, 0, 'Port at which ProFTPD serves FTP over TLS; 0 = at none'),
        certificate: path('File of the certificate of FTPS with its chain, PEM', ''),
        key: path('File of its key, RSA or EC, PEM, not encrypted', ''),
        passive_ports: Type.String({
          default: '49152-50151',
          pattern: String.raw`^\d{4,5}-\d{4,5}$`,
          description: 'First and last port for the transfers of FTPS, which a firewall lets in',
        }),
        passive_address: Type.String({
          default: '',
          pattern: '^[0-9A-Fa-f.:]*$',
          description:
            'Address that clients of FTPS connect to for transfers, behind NAT; empty = where they logged in',
        }),
      },
      { additionalProperties: false, default: {} },
    ),
    login_seconds: number(5, 600, 60, 'How long a client may take to log in'),
    attempts: number(1, 20, 3, 'Wrong passwords in a connection, after which it ends'),
    ban_minutes: number(
      0,
      1440,
      15,
      'How long an address is not let in after three such connections within ten minutes; 0 = never banned',
    ),
    clients: number(1, 10_000, 200, 'Connections at a time'),
    clients_per_host: number(1, 10_000, 20, 'Connections at a time from one address'),
    clients_per_login: number(1, 1000, 10, 'Connections at a time of one login'),
    idle_seconds: number(30, 86_400, 900, 'How long a connection may do nothing'),
  },
  { additionalProperties: false },
);
export type SftpConfig = Static<typeof SftpConfig>;

const time = (description: string) =>
  Type.String({ format: 'date-time', description: `${description}; RFC 3339, UTC` });
const folder = 'Folder in which it is closed, as clients see it';

export const SftpKey = NamedObject('SftpKey', {
  key_id: Type.Integer(),
  type: Type.String({ description: 'Such as ssh-ed25519' }),
  fingerprint: Type.String({ description: 'As `ssh-keygen -l` prints it' }),
  comment: Type.String(),
  added_at: time('When it was added'),
});
export const SftpLogin = NamedObject('SftpLogin', {
  login: Type.String({ description: "User name; begins with the account's name" }),
  folder: Type.String({ description: folder }),
  has_password: Type.Boolean({ description: 'Whether a password opens it; public keys do in any case' }),
  keys: Type.Array(SftpKey),
  created_at: time('When it was added'),
  last_login_at: Type.Union([time('When somebody logged in last, known within a minute'), Type.Null()]),
  last_login_from: Type.Union([Type.String({ description: 'Address from which that was' }), Type.Null()]),
});
export type SftpLogin = Static<typeof SftpLogin>;

export const SftpLogins = NamedObject('SftpLogins', {
  logins: Type.Array(SftpLogin, { description: 'By name' }),
  server: NamedObject('SftpServer', {
    host: Type.String({ description: 'Empty for the name by which the client reaches this API' }),
    port: Type.Integer(),
    ftps_port: Type.Union([Type.Integer(), Type.Null()], { description: 'For FTP over TLS; null where there is none' }),
    fingerprint: Type.String({ description: "Of the server's key, by which clients know it; empty while it has none" }),
    is_running: Type.Boolean(),
  }),
  prefix: Type.String({ description: 'With which the name of each login begins' }),
  ftp_limit: Type.Integer({ description: 'Logins that the plan allows; 0 for no limit' }),
});

export const NewSftpLogin = NamedObject('NewSftpLogin', {
  name: Type.String({
    minLength: 1,
    maxLength: 24,
    description: "Follows the account's name and an underscore: lower-case letters, digits, - and _",
    examples: ['web'],
  }),
  folder: Type.Optional(
    Type.String({ maxLength: 4096, description: `${folder}; it must exist. All files unless given`, examples: [''] }),
  ),
  public_key: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'A line as in a `.pub` file of OpenSSH; with it, no password is made. Needs the feature `ssh_keys`',
    }),
  ),
});
export type NewSftpLogin = Static<typeof NewSftpLogin>;

export const SftpSecret = NamedObject('SftpSecret', {
  login: SftpLogin,
  password: Type.Union([Type.String(), Type.Null()], { description: 'Shown now only; null where none was made' }),
});
export const SftpFolder = NamedObject('SftpFolder', {
  folder: Type.String({ maxLength: 4096, description: `${folder}; it must exist. Empty for all files` }),
});
export const NewSftpKey = NamedObject('NewSftpKey', {
  public_key: Type.String({ maxLength: 8192, description: 'A line as in a `.pub` file of OpenSSH' }),
});

const login = Type.String({ minLength: 1, maxLength: 64, description: 'From GET /api/sftp', examples: ['demo_web'] });
export const LoginParams = Type.Object({ login });
export const KeyParams = Type.Object({
  login,
  key: Type.String({ maxLength: 15, description: 'From GET /api/sftp', examples: ['1'] }),
});
export const RemovedLogin = NamedObject('SftpLoginRemoved', { login: Type.String(), deleted: Type.Literal(true) });

export const SftpConnections = NamedObject('SftpConnections', {
  connections: Type.Array(
    NamedObject('SftpConnection', {
      connection_id: Type.String(),
      login: Type.String(),
      address: Type.String({ description: 'Of the client' }),
      protocol: Type.String({ description: 'sftp, or ftps' }),
      since: time('When it began'),
      activity: Type.String({ description: 'A command of the protocol; empty while it waits' }),
    }),
  ),
});
export const ConnectionParams = Type.Object({
  connection: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'From GET /api/sftp/connections',
    examples: ['4711-123456'],
  }),
});
export const EndedConnection = NamedObject('SftpConnectionEnded', {
  connection_id: Type.String(),
  ended: Type.Literal(true),
});

/** A login as it leaves with its account. */
export const KeptLogin = Type.Object({
  name: NewSftpLogin.properties.name,
  folder: SftpFolder.properties.folder, // below the files root: the virtual root may be another one elsewhere
  secret: Type.Union([Type.String({ pattern: HASHED.source }), Type.Null()], { description: 'The password, hashed' }),
  public_keys: Type.Array(NewSftpKey.properties.public_key, { maxItems: MOST_KEYS }),
});
export type KeptLogin = Static<typeof KeptLogin>;
