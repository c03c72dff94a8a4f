import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MOST_CHARACTERS } from './ini/ini-text.ts';
import { LARGEST, SMALLEST_MIB } from './pools/pool.ts';

/** Functions with which scripts start programs, or reach what a site has no business with. */
const DISABLED = ['dl', 'exec', 'passthru', 'pcntl_exec', 'popen', 'posix_kill', 'proc_open', 'shell_exec', 'system'];

/** Where the broker has the sockets unless the settings say otherwise. */
export const BROKERS = '/run/hostkeep/php';

const VERSION = '^\\d{1,2}\\.\\d{1,2}$';

export const PhpConfig = Type.Object(
  {
    run_folder: Type.String({
      default: '',
      pattern: '^((/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$',
      description: `Folder of the sockets, which the user of the web server must be able to pass; empty = ${BROKERS}, and below the data where there is no broker`,
    }),
    versions: Type.Array(Type.String({ pattern: VERSION }), {
      default: [],
      description: 'Those that customers may choose from; empty = all that are installed',
    }),
    default_version: Type.String({
      default: 'newest',
      pattern: `^newest$|${VERSION}|^$`,
      description:
        'What a domain that a web server serves gets when it is added: one of these versions, newest, or empty for no PHP until it is chosen',
    }),
    disabled_functions: Type.Array(Type.String({ pattern: '^[a-z0-9_]+$' }), {
      default: DISABLED,
      description: 'PHP functions that no site may call',
    }),
    max_upload_mib: Type.Integer({
      minimum: 1,
      maximum: LARGEST.uploadMib,
      default: 1024,
      description: 'The largest upload that customers may allow',
    }),
    max_seconds: Type.Integer({
      minimum: 1,
      maximum: LARGEST.seconds,
      default: 300,
      description: 'The longest run of a script that customers may allow',
    }),
    idle_seconds: Type.Integer({
      minimum: 0,
      maximum: 86_400,
      default: 300,
      description:
        'How long after its last request PHP of an account ends, to be started by the next one; 0: it never ends',
    }),
    drain_seconds: Type.Integer({
      minimum: 0,
      maximum: 3600,
      default: 30,
      description: 'How long processes that no site uses any more wait for requests on their way',
    }),
  },
  { additionalProperties: false },
);
export type PhpConfig = Static<typeof PhpConfig>;

const members = {
  memory_mib: Type.Integer({
    minimum: SMALLEST_MIB,
    maximum: LARGEST.memoryMib,
    description: 'Memory of a script (memory_limit)',
  }),
  upload_mib: Type.Integer({
    minimum: 1,
    maximum: LARGEST.uploadMib,
    description: 'The largest upload (upload_max_filesize)',
  }),
  execution_seconds: Type.Integer({
    minimum: 1,
    maximum: LARGEST.seconds,
    description: 'How long a script may take (max_execution_time)',
  }),
  display_errors: Type.Boolean({ description: 'Whether visitors see errors of scripts' }),
  timezone: Type.String({ maxLength: 64, description: 'Of the IANA database, such as Europe/Berlin (date.timezone)' }),
};
export const PhpOptions = NamedObject('PhpOptions', members);
export type PhpOptions = Static<typeof PhpOptions>;

export const PhpSite = NamedObject('PhpSite', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  version: Type.String({ description: 'Empty for none: scripts are not run, and not shown either' }),
  options: PhpOptions,
});
export type PhpSite = Static<typeof PhpSite>;

export const PhpSites = NamedObject('PhpSites', {
  versions: Type.Array(Type.String(), { description: 'Those that may be chosen, newest first' }),
  sites: Type.Array(PhpSite),
  bounds: NamedObject('PhpBounds', {
    workers: Type.Integer({
      description: 'Scripts that run at once, of the domains with the same version and options',
    }),
    memory_mib: members.memory_mib,
    upload_mib: members.upload_mib,
    execution_seconds: members.execution_seconds,
  }),
});

export const PhpSiteParams = Type.Object({
  domain: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'A domain of the account',
    examples: ['example.com'],
  }),
});
export const NewPhpVersion = NamedObject('NewPhpVersion', {
  version: Type.String({ pattern: '^([0-9]{1,2}\\.[0-9]{1,2})?$', description: 'An installed one; empty for none' }),
});
export const NewPhpOptions = NamedObject('NewPhpOptions', {
  memory_mib: Type.Optional(members.memory_mib),
  upload_mib: Type.Optional(members.upload_mib),
  execution_seconds: Type.Optional(members.execution_seconds),
  display_errors: Type.Optional(members.display_errors),
  timezone: Type.Optional(members.timezone),
});
export type NewPhpOptions = Static<typeof NewPhpOptions>;

const content = Type.String({
  maxLength: MOST_CHARACTERS,
  description: 'A line for each directive, `name = value`; comments begin with `;` and have lines of their own',
  examples: ['; larger forms\nmax_input_vars = 3000\nsession.cookie_samesite = Lax\n'],
});
export const PhpDirective = NamedObject('PhpDirective', {
  name: Type.String(),
  kind: Type.String({
    enum: ['flag', 'number', 'choice', 'text', 'levels'],
    description: '`flag`: on or off; `levels`: levels of errors, as in error_reporting',
  }),
  smallest: Type.Optional(Type.Integer({ description: 'Of a number' })),
  largest: Type.Optional(Type.Integer({ description: 'Of a number' })),
  choices: Type.Optional(Type.Array(Type.String())),
  example: Type.Optional(Type.String()),
});
export type PhpDirective = Static<typeof PhpDirective>;
export const PhpIni = NamedObject('PhpIni', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  content,
  directives: Type.Array(PhpDirective, { description: 'Those that may be set, by name' }),
});
export type PhpIni = Static<typeof PhpIni>;
export const NewPhpIni = NamedObject('NewPhpIni', { content });

/** How the scripts of a site run, as it leaves with its account. */
export const KeptPhp = Type.Object({ version: NewPhpVersion.properties.version, options: PhpOptions, ini: content });
export type KeptPhp = Static<typeof KeptPhp>;

export const PhpInfo = NamedObject('PhpInfo', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  version: Type.String(),
  sections: Type.Array(
    NamedObject('PhpInfoSection', {
      title: Type.String({ description: 'The module' }),
      rows: Type.Array(
        NamedObject('PhpInfoRow', {
          name: Type.String(),
          local: Type.String({ description: 'The value in scripts of the domain' }),
          master: Type.Union([Type.String(), Type.Null()], {
            description: 'The value before a script changes it; null for what is no directive',
          }),
        }),
      ),
    }),
  ),
});
export type PhpInfo = Static<typeof PhpInfo>;
