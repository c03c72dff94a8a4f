import { HOST_NAME } from '../kit/net/host-port.ts';
import { closed, Type } from '../schema.ts';

const HostPort = (description: string) =>
  Type.String({ pattern: '^(\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5}$', description });

const Settings = Type.Object({
  $schema: Type.Optional(Type.String({ description: 'Where editors find the output of `hostkeep config schema`' })),
  edition: Type.Union([Type.Literal('enterprise'), Type.Literal('community')], {
    description: 'community closes the end-user address',
  }),
  listen: HostPort('The end-user address: host:port'),
  admin_listen: HostPort('The admin address: host:port'),
  admin_hosts: Type.Array(Type.String(), {
    description: 'Host names that the admin address accepts in addition to localhost and literal IP addresses',
  }),
  cors_origins: Type.Array(Type.String(), {
    description: 'Other origins whose web pages a browser lets use the end-user address',
  }),
  admin_cors_origins: Type.Array(Type.String(), {
    description: 'Other origins whose web pages a browser lets use the admin address',
  }),
  tls: Type.Object(
    {
      cert: Type.String({ description: 'PEM file of the certificate, with its chain; empty = no HTTPS' }),
      key: Type.String({ description: 'PEM file of its private key' }),
      host_name: Type.String({
        default: '',
        pattern: `^$|${HOST_NAME.source}`,
        description:
          'Host name of this server. In place of cert and key, both addresses then have a certificate of their own for it: one that the plugin certificates orders, and until then a self-signed one. The admin address accepts the name, and no account may add it',
      }),
      hsts_seconds: Type.Integer({
        minimum: 0,
        default: 0,
        description: 'How long browsers must use HTTPS for every port of the host name (RFC 6797); 0 = they need not',
      }),
    },
    { description: 'How both addresses answer by HTTPS: PEM files, both or neither, or a host name' },
  ),
  trusted_proxies: Type.Array(Type.String(), {
    description: 'Addresses or CIDR ranges of the proxies whose X-Forwarded-For counts',
  }),
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
          'A database in PostgreSQL for accounts, plans, sessions, domains and events: postgres://user@host:5432/name. Of several hosts, separated by commas, the one that accepts writes is used, after a failover the one that was promoted. ?sslmode=verify-full encrypts, and refuses a server whose certificate is not for its host name, or not signed by an authority in the file sslrootcert=… or of the system; without it nothing is encrypted. Empty = SQLite, in the file hostkeep.db of the data folder',
      }),
      password: Type.String({ default: '', writeOnly: true, description: 'Password of its user' }),
      connections: Type.Integer({
        minimum: 3,
        maximum: 1000,
        default: 17,
        description:
          'Maximum number of connections of the node to that database: one listens for changes, the others are divided among the workers, of which each has at least two. Commands take one or two more while they run',
      }),
      stale_seconds: Type.Integer({
        minimum: 0,
        maximum: 300,
        default: 10,
        description: 'How long remembered sessions are good for while that database cannot be reached',
      }),
      statement_seconds: Type.Integer({
        minimum: 1,
        maximum: 60,
        default: 10,
        description:
          'How long a statement may take in that database; so long a synchronous standby that hangs holds up each write, which then fails with 503',
      }),
    },
    { default: {}, description: 'Where the store is' },
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
  token: Type.Object({
    ttl_seconds: Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'How long the session of a login lasts, and its token is valid',
    }),
  }),
  log: Type.Object({
    level: Type.String({
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      description: 'The least severe lines that are logged; debug has each read, silent nothing',
    }),
  }),
  jobs: Type.Object(
    {
      processes: Type.Integer({
        minimum: 1,
        maximum: 256,
        default: 8,
        description: "Maximum number of processes for customers' files, each for one account",
      }),
      memory_mib: Type.Integer({ minimum: 128, default: 256, description: 'Maximum memory of one of these processes' }),
    },
    { default: {} },
  ),
  ids: Type.Object(
    {
      first: Type.Integer({
        minimum: 0,
        maximum: 4_000_000_000,
        default: 200_000,
        description:
          'First user id for accounts: that of each is larger by the number of the account. 0 = accounts have none of their own',
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
        description: 'Whether the system user with the name of an account may own its folder',
      }),
    },
    {
      default: {},
      description: "The users that own accounts' files, where the service has the right to choose",
    },
  ),
  broker: Type.Object(
    {
      socket: Type.String({
        default: '',
        description: 'The Unix socket of `hostkeep broker`; empty = the service does what its own rights allow',
      }),
      state: Type.String({
        default: '/var/lib/hostkeep-broker',
        description: "The broker's own folder, for what accounts' processes keep",
      }),
    },
    { default: {}, description: 'The process that has the rights which the service does without' },
  ),
  external_features: Type.Array(Type.String(), {
    default: [],
    description: 'Features that other software on the node provides; accounts that have them see them',
  }),
  include: Type.Array(Type.String(), {
    default: [],
    description: 'Patterns of further files, relative to this one; they override it in the order of their names',
  }),
  plugins: Type.Record(Type.String(), Type.Boolean(), {
    description: 'false switches a plugin off for the whole server, true switches on one that is off by default',
  }),
});

/** The kernel's own settings. A top-level object named after a plugin holds the settings of that plugin. */
export const KernelConfig = closed(Settings);
