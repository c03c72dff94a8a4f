import { HOST_LABEL } from '../../kit/net/host-port.ts';

/** The address at which this host reaches the web server of its domains over plain HTTP. */
export interface WebServerPart {
  readonly host: string;
  readonly port: number;
  /** Of the program: nginx or caddy. */
  readonly name?: string;
  /** Whether it answers over TLS by the rules of sites. */
  readonly takesTls?: boolean;
  /** At which port, if it does. */
  readonly tlsPort?: number;
  /** Whether it gets certificates by itself, for sites whose rules give none. */
  readonly certifies?: boolean;
  /** Whether it sees files through a mount on which the kernel follows no link. */
  readonly followsNoLinks?: boolean;
}

/**
 * The service of the plugin `webserver` where the web server logs what happens at sites: absolute paths. In the format of nginx,
 * lines of the access log begin with the name of the domain, the time in seconds since 1970, the bytes that were sent and, after
 * a slash, the seconds that a script took if it was slow; they are then in the combined format, and end with the name again. In
 * that of Caddy, each line of both is an object in JSON.
 */
export interface SiteLogs {
  readonly format: 'nginx' | 'caddy';
  readonly access: string;
  readonly error: string;
}

/** A redirect that a site answers with before it looks for a file. */
export interface SiteRedirect {
  /** The path from which it leads; see `REDIRECT_PATH`. */
  readonly from: string;
  /** Whether it also leads away from everything below that path. */
  readonly isPrefix: boolean;
  /** An absolute URL or a path; see `REDIRECT_TARGET`. Without query and fragment where something is kept. */
  readonly to: string;
  readonly status: number;
  /** Whether what follows `from` is appended to the target. */
  readonly keepsPath: boolean;
  readonly keepsQuery: boolean;
}

/** Where a site's PHP scripts run. */
export interface SitePhp {
  /** The Unix socket of the processes that run them, by FastCGI; see `PHP_SOCKET`. */
  readonly socket: string;
  /** The largest body of a request. */
  readonly bodyMib: number;
  /** How long a script may take. */
  readonly seconds: number;
  /** Folders whose `index.php` answers for what is no file below them; see `FRONT_FOLDER`. */
  readonly fronts: readonly string[];
}

/** The site at `tls.host_name`: it proves to an authority that the server is here, and leads visitors to the pages. */
export interface ServerSite {
  readonly name: string;
  /** Of the key with which certificates are ordered (RFC 7638): it proves with it that it is here; see `THUMBPRINT`. */
  readonly thumbprint: string;
  /** An absolute URL; see `REDIRECT_TARGET`. */
  readonly url: string;
  /** Its private key and certificates, as in a `SiteRule`: over HTTPS, too, it leads to the pages. */
  readonly pem: string;
}

/** By which rules a site is served, besides its files. Several plugins may each say a part. */
export interface SiteRule {
  /** Whether visitors get 503 and a page that says so; certificate and logs stay. */
  readonly isSuspended?: boolean;
  /** Further names at which it answers, in lower-case ASCII form. */
  readonly names?: readonly string[];
  /** The same, for a while: search engines are told to keep these out. */
  readonly previews?: readonly string[];
  readonly php?: SitePhp;
  /** The largest body of a request, in place of what scripts take. */
  readonly bodyMib?: number;
  /** Whether it answers over TLS, where the web server does. */
  readonly isSecure?: boolean;
  /** The private key, the certificate, and those of its issuers; see `SitePlace.certificate`. Reaches no log and no answer. */
  readonly pem?: string;
  /** By plugin, what its `site-directives.ts` renders; see `SiteDirectives`. */
  readonly parts?: Readonly<Record<string, unknown>>;
}

/** The rules of sites, by the domain's id; a domain without any may be left out. */
export type SiteRules = ReadonlyMap<number, SiteRule>;

/** Returns the pattern of a socket's path, in a folder with the number of the account. Nothing in it means anything to a web server's configuration. */
export const socketPattern = (name: string): RegExp =>
  new RegExp(String.raw`^(?=.{1,107}$)(?:/(?!\.{1,2}/)[A-Za-z0-9._-]+)+/\d+/${name}\.sock$`);

/** The path of the socket at which PHP runs scripts. */
export const PHP_SOCKET = socketPattern('[a-z0-9.-]+');

/** Folders, by the id of their domain, whose applications answer for whatever is asked below them. */
export type FrontFolders = ReadonlyMap<number, readonly string[]>;

/** A folder below a document root, without slashes around it. Nothing in it but the dot means anything to a web server's configuration. */
export const FRONT_FOLDER = /^(?=.{1,255}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
/**
 * Scripts of an account, of all its sites, that are asked at once. Each takes two of the connections that nginx has for everybody, 768 as
 * Debian has it. No pool runs more at once.
 */
const MOST_SCRIPTS = 200;
/** Renders for a location of nginx that it refuses scripts beyond those; the zone is that of the plugin `webserver`. */
export const nginxScriptLimit = (accountId: number): string =>
  `set $hostkeep_account ${accountId}; limit_conn hostkeep_scripts ${MOST_SCRIPTS};`;
/** How many of them a site has at most. */
export const MOST_FRONTS = 50;

/** The surroundings of the directives of a site. */
export interface SitePlace {
  readonly accountId: number;
  /** The document root, as the web server sees it. */
  readonly docroot: string;
  /** Whether the web server sees files through a mount on which the kernel follows no link. */
  readonly followsNoLinks: boolean;
  /** Whether the site runs PHP; then the location `/` is not free. */
  readonly runsPhp: boolean;
  /** The value of `listen` for HTTPS; empty = no site answers over TLS. */
  readonly listenTls: string;
  readonly tlsPort: number;
  /** The path of the file with the `pem` of the rule, which only the web server reads; empty for none. */
  readonly certificate: string;
  /** Has the web server, and nobody else, read a file of users and their passwords, and returns its path. */
  usersFile(content: string): string;
}

/**
 * Directives that a plugin adds to virtual hosts: the default export of its `site-directives.ts`. What they are made from is the
 * plugin's part of a `SiteRule`. The process that has the right to write virtual hosts loads them as well, without the plugin: keep
 * them light.
 */
export interface SiteDirectives<T = unknown> {
  /** `guard`: before those of all others, as they say who may see the site; `tls`: where a suspended site has them as well. */
  readonly stands?: 'guard' | 'tls';
  /** Checks a part again, whatever the plugin has checked: it may come from foreign hands. Errors: 400 `invalid_request`. */
  read(part: unknown): T;
  /** Returns lines of a `server` block. Nothing in them may mean more to the web server than the part says. */
  nginx(part: T, place: SitePlace): readonly string[];
  /** Returns those by which requests are told apart: they stand before all that refuses or leads elsewhere. */
  nginxFirst?(part: T): readonly string[];
  /** Returns those for requests that nothing has refused or led elsewhere. */
  nginxLast?(part: T): readonly string[];
  /** Returns lines of a site block. */
  caddy(part: T, place: SitePlace): readonly string[];
}

/** Versions of TLS that are not known to be weak, for nginx. */
export const NGINX_PROTOCOLS = 'ssl_protocols TLSv1.2 TLSv1.3;';
/** Renders for a `server` of nginx that it answers over TLS, with a file of its key and certificates. */
export const nginxTls = ({ listenTls, certificate }: Pick<SitePlace, 'listenTls' | 'certificate'>): string[] => [
  `listen ${listenTls.replaceAll(';', ' ssl;')} ssl;`,
  `ssl_certificate "${certificate}";`,
  `ssl_certificate_key "${certificate}";`,
  NGINX_PROTOCOLS,
];
/** Of a key (RFC 7638); empty for none. */
export const THUMBPRINT = /^([A-Za-z0-9_-]{43})?$/;
/** Below which authorities ask a site for the proof of a certificate. */
export const CHALLENGES = '/.well-known/acme-challenge/';
/** The largest `bodyMib`. */
export const MOST_BODY_MIB = 65_536;
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
/** How many aliases a site has at most: authorities issue a certificate for 100 names. */
export const MOST_NAMES = 50;
/** How many redirects a site has at most: the web server tries one after another. */
export const MOST_REDIRECTS = 1000;

const CHARACTER = '[A-Za-z0-9._~!,=@:+-]';
const SEGMENT = `(?:${CHARACTER}|%20|%[89A-F][0-9A-F])+`;
const PATH = `(?=/)(?:/${SEGMENT})*/?`;
const REST = `(?:${CHARACTER}|[/&?]|%[0-9A-F]{2})*`;
/**
 * A path as browsers send it: in the form of a URL, without empty segments. Nothing in it means anything to a web server's
 * configuration, quoted or not.
 */
export const REDIRECT_PATH = new RegExp(`^(?=.{1,1024}$)${PATH}$`);
/** The same for a path or an absolute URL, which may have a query and a fragment. */
export const REDIRECT_TARGET = new RegExp(
  `^(?=.{1,2048}$)(?:https?://${HOST_LABEL}(?:\\.${HOST_LABEL})*(?::[0-9]{1,5})?)?${PATH}(?:\\?${REST})?(?:#${REST})?$`,
);

/** The part of a plugin's host that `findWebServer` uses. */
interface WebServerHost {
  gather(
    point: 'webServer',
  ): Promise<readonly ({ readonly ok: true; readonly value: WebServerPart } | { readonly ok: false })[]>;
}

/** Resolves with the web server of this node as it is now, if a plugin has one. */
export async function findWebServer(host: WebServerHost): Promise<WebServerPart | undefined> {
  return (await host.gather('webServer')).find((part) => part.ok)?.value;
}
