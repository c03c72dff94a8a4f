import { DomainName } from '../../kernel/areas/sites/domain-directory.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** Where the broker notes what runs unless the settings say otherwise. */
export const BROKERS = '/run/hostkeep/phpmyadmin';

export const PhpMyAdminConfig = Type.Object(
  {
    run_folder: Type.String({
      default: '',
      pattern: '^((/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$',
      description: `Folder of the sockets; empty = ${BROKERS}, and below the data where there is no broker`,
    }),
    hours: Type.Integer({ default: 8, minimum: 1, maximum: 24, description: 'How long a session lives at most' }),
    idle_minutes: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 1440,
      description: 'How long a session lives without a request',
    }),
    upload_mib: Type.Integer({
      default: 256,
      minimum: 1,
      maximum: 4096,
      description: 'Largest file to import, in MiB',
    }),
    needs_https: Type.Boolean({
      default: true,
      description:
        'Whether phpMyAdmin opens only at domains with a certificate; otherwise what it shows may go over plain HTTP',
    }),
    check_seconds: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 60,
      description: 'How soon it is seen that a session was left, or that it is over',
    }),
  },
  { additionalProperties: false },
);
export type PhpMyAdminConfig = Static<typeof PhpMyAdminConfig>;

const at = (description: string) => Type.String({ format: 'date-time', description: `${description}; RFC 3339, UTC` });
const domain_url = Type.String({ description: 'Lower-case ASCII form' });

export const PhpMyAdminState = NamedObject('PhpMyAdminState', {
  is_installed: Type.Boolean({ description: 'Whether the server of the account has phpMyAdmin' }),
  is_managed: Type.Boolean({ description: 'Whether the databases of the account are managed here' }),
  domains: Type.Array(
    NamedObject('PhpMyAdminDomain', {
      domain_url,
      has_https: Type.Boolean(),
      is_usable: Type.Boolean({ description: 'False without HTTPS, where the server asks for that' }),
    }),
    { description: 'At which it can be opened, by name' },
  ),
  session: Type.Union(
    [
      NamedObject('PhpMyAdminSession', {
        domain_url,
        created_at: at('When it was opened'),
        expires_at: at('When it ends at the latest'),
      }),
      Type.Null(),
    ],
    { description: 'The one that is open; null for none' },
  ),
});
export type PhpMyAdminState = Static<typeof PhpMyAdminState>;

export const NewPhpMyAdminSession = NamedObject('NewPhpMyAdminSession', {
  domain_url: DomainName,
});
export const OpenedPhpMyAdmin = NamedObject('PhpMyAdminOpened', {
  url: Type.String({ description: 'Logs in one browser, once, within a minute' }),
  domain_url,
  expires_at: at('When the session ends at the latest'),
});
export type OpenedPhpMyAdmin = Static<typeof OpenedPhpMyAdmin>;
export const ClosedPhpMyAdmin = NamedObject('PhpMyAdminClosed', { closed: Type.Literal(true) });
