import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  NGINX_PROTOCOLS,
  nginxTls,
  type SitePhp,
  type SitePlace,
} from '../../../kernel/contract/points/web-server-part.ts';
import { HOST_NAME } from '../../../kernel/kit/net/host-port.ts';
import { shippedFile, type Driver } from '../drivers.ts';
import { readSitePhp } from '../rules/php-rules.ts';
import type { OwnSite } from '../rules/tls-rules.ts';
import { partsRenderer, type SiteParts } from '../rules/site-parts.ts';
import { viewed } from '../files-view.ts';
import { SERVER_FILE, secretFileName } from './vhost-folder.ts';
import { fail } from '../errors.ts';

/** The placeholders of a template. Paths are those on this host. */
const KEYS = [
  ...(['domain', 'docroot', 'files_root', 'username', 'listen', 'vhost_folder'] as const),
  /** Directives that have requests and errors logged; empty for none. */
  'logs',
  /** Directives that count before files are looked for; empty for none. */
  'redirects',
  /** Directives that have scripts run, or refuse to show their source. */
  'php',
  'tls',
] as const;
/** The values of the placeholders. */
export type VhostValues = Readonly<Record<(typeof KEYS)[number], string>>;

/** Characters with a special meaning to nginx or Caddy inside a quoted path. */
const UNQUOTABLE = /[\u0000-\u001f\u007f"'`$;{}\\#*?\u2028\u2029]/;
const HEADER = '# Written by Hostkeep, which overwrites it.\n';
const LISTEN = /\blisten\s+([^\s;]+)([^;]*);/g;
const OWNER = /^# Account (\d+)$/m;

/** Returns the id of the account of a virtual host's file; `undefined` where it names none. */
export function readOwner(content: string): number | undefined {
  const [, id] = OWNER.exec(content) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Renders the file of a virtual host. Throws for a template without one of the placeholders in `needs`. */
type Render = (accountId: number, values: VhostValues, needs?: readonly (keyof VhostValues)[], named?: Named) => string;
/** Puts further names into a template; see `Driver.named`. */
type Named = (source: string) => string;

/**
 * Returns a function that renders a virtual host's file. Throws for a template with unknown placeholders, or without
 * {{domain}}.
 */
export function compileTemplate(source: string): Render {
  const unknown = [...source.matchAll(/\{\{(.*?)\}\}/g)].find(([, key = '']) => !KEYS.some((known) => known === key));
  if (unknown !== undefined)
    throw new Error(`the template of virtual hosts contains the unknown placeholder ${unknown[0]}`);
  if (!source.includes('{{domain}}')) throw new Error('the template of virtual hosts does not contain {{domain}}');
  return (accountId, values, needs = [], named = (text) => text) => {
    assertQuotable(values);
    for (const key of needs)
      if (!source.includes(`{{${key}}}`))
        throw fail.webserver_failed(`the template of virtual hosts does not contain {{${key}}}`);
    return `${HEADER}# Account ${accountId}\n${named(source).replace(/\{\{(\w+)\}\}/g, (_, key: keyof VhostValues) => values[key])}`;
  };
}

/** The site of a virtual host. */
export interface Site {
  readonly domain: string;
  readonly account: { readonly id: number; readonly username: string };
  /** Of the document root, below the files root. */
  readonly components: readonly string[];
  readonly isSuspended: boolean;
  /** Further names at which it answers. */
  readonly names: readonly string[];
  /** The same, for a while. */
  readonly previews: readonly string[];
  readonly php: SitePhp | null;
  /** The largest body of a request; `null` for that of the web server. */
  readonly bodyMib: number | null;
  /** The name of the file of its key and certificates; empty for none. */
  readonly certificate: string;
  readonly parts: SiteParts;
}
/** A virtual host, and the files of users that it names, with their content. */
export interface RenderedSite {
  readonly content: string;
  readonly users: ReadonlyMap<string, string>;
}
/** Errors: 400 `invalid_domain`, `invalid_docroot`, 502 `webserver_failed`. */
export type RenderSite = (site: Site, filesRoot: string) => RenderedSite;

/** Reads the templates, and resolves with the function that renders a site: for who writes it, and for who compares it. */
export async function siteRenderer(driver: Driver): Promise<RenderSite> {
  const [render, renderSuspended, renderParts] = await Promise.all([
    templateOf(driver.templateFile),
    templateOf(driver.suspendedTemplateFile),
    partsRenderer(driver),
  ]);
  return (
    { domain, account: { id, username }, components, isSuspended, names, previews, php, bodyMib, certificate, parts },
    filesRoot,
  ) => {
    const docroot = join(filesRoot, ...components);
    const users = new Map<string, string>();
    const place: SitePlace = {
      accountId: id,
      docroot: viewed(driver, docroot),
      followsNoLinks: driver.filesView !== '',
      runsPhp: php !== null,
      listenTls: driver.listenTls,
      tlsPort: driver.tlsPort,
      certificate: certificate && join(driver.vhostFolder, certificate),
      usersFile(content) {
        const name = secretFileName(content, 'users');
        users.set(name, content);
        return `${driver.vhostFolder}/${name}`;
      },
    };
    const { tls, guard, first, rest, last } = renderParts(parts, place, isSuspended);
    const lines = (all: readonly string[]) => all.filter(Boolean).join('\n    ');
    const values = {
      domain,
      docroot: place.docroot,
      files_root: viewed(driver, filesRoot),
      username,
      listen: driver.listen,
      vhost_folder: driver.vhostFolder,
      logs: driver.logs,
      tls: lines([...first, ...tls]),
      redirects: '',
      php: '',
    };
    const named = (source: string) => withNames(driver, source, [...names, ...previews]);
    const needs: (keyof VhostValues)[] = values.tls === '' ? [] : ['tls'];
    if (isSuspended) return { content: renderSuspended(id, values, needs, named), users };
    const scripts = driver.php(php === null ? null : readSitePhp(php, id), docroot);
    values.redirects = lines([...previews.map(driver.preview), ...guard, ...rest]);
    values.php = lines([bodyMib === null ? '' : driver.body(bodyMib), scripts, ...last]);
    if (values.redirects !== '') needs.push('redirects');
    if (php || bodyMib || last.length > 0) needs.push('php');
    return { content: render(id, values, needs, named), users };
  };
}

/** Errors: 400 `invalid_domain`; 502 `webserver_failed` for a template without a place for them. */
function withNames(driver: Driver, source: string, names: readonly string[]): string {
  if (names.length === 0) return source;
  if (!names.every((name) => HOST_NAME.test(name))) throw fail.invalid_domain('the web server cannot serve this name');
  const named = driver.named(source, names);
  if (named === source) throw fail.webserver_failed('the template of virtual hosts has no place for further names');
  return named;
}

/** Resolves with the files beside the virtual hosts by their names, `undefined` for none: what these share, and the server's own site. */
export async function sharedFiles(driver: Driver, own: OwnSite | null): Promise<Map<string, string | undefined>> {
  const { commonName, vhostFolder, listenTls, name } = driver;
  const certificate = join(vhostFolder, own?.certificate ?? '');
  const tls = nginxTls({ listenTls, certificate }).join('\n    ');
  const values: Readonly<Record<string, unknown>> = { ...driver, ...own, certificate, tls };
  const filled = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => String(values[key]));
  const sites = [`${name}-server.conf`, ...(listenTls === '' ? [] : [`${name}-server-tls.conf`])];
  const texts = own && (await Promise.all(sites.map((file) => readFile(shippedFile(file), 'utf8'))));
  return new Map([
    [commonName, await readCommon(driver)],
    [SERVER_FILE, texts === null ? undefined : HEADER + filled(texts.join(''))],
  ]);
}

/** Resolves with what virtual hosts share. The server that answers for names of no domain listens wherever a template does. */
async function readCommon({ commonFile, listen, listenTls, ...files }: Driver): Promise<string | undefined> {
  if (commonFile === undefined) return undefined;
  const sources = await Promise.all(
    [files.templateFile, files.suspendedTemplateFile].map((file) => readFile(file, 'utf8').catch(() => '')), // templateOf tells
  );
  return (HEADER + (await readFile(commonFile, 'utf8')))
    .replaceAll('{{listens}}', listens([`listen ${listen};`, ...sources], listen, listenTls))
    .replaceAll(/\{\{(access|error)_log\}\}/g, (_, kind: 'access' | 'error') => files.logFiles?.[kind] ?? '');
}

/** Returns the `listen` directives of nginx in some sources, each address once, and what refuses names over TLS. */
function listens(sources: readonly string[], listen: string, listenTls: string): string {
  const text = sources.join('\n').replaceAll('{{listen}}', listen).replaceAll(/#.*/g, '');
  const found = new Map<string, string>();
  for (const [, address = '', options = ''] of text.matchAll(LISTEN))
    found.set(address, options.split(/\s+/).find((option) => option === 'ssl' || option === 'quic') ?? '');
  // what one says of HTTP/2 counts for all at the same address
  for (const [, address = ''] of `listen ${listenTls};`.matchAll(LISTEN)) found.set(address, 'ssl http2');
  const lines = [...found].map(([address, over]) => `listen ${address}${over && ` ${over}`};`);
  const hasTls = [...found.values()].some((over) => over !== '');
  return [...lines, ...(hasTls ? [NGINX_PROTOCOLS, 'ssl_reject_handshake on;'] : [])].join('\n    ');
}

/** Reads a template. Without a usable one every domain is refused; the log and doctor show the reason. */
async function templateOf(file: string): Promise<Render> {
  try {
    return compileTemplate(await readFile(file, 'utf8'));
  } catch (cause) {
    return () => {
      throw fail.webserver_failed('the web server has no usable template', { cause });
    };
  }
}

/** Checks all values again, whatever their callers have checked. Errors: 400 `invalid_domain`, `invalid_docroot`. */
function assertQuotable({ domain, docroot, files_root: filesRoot, username, vhost_folder: folder }: VhostValues): void {
  if (!HOST_NAME.test(domain)) throw fail.invalid_domain('the web server cannot serve this name');
  if (!/^[a-z0-9_-]+$/.test(username))
    throw new Error(`the user name ${JSON.stringify(username)} cannot be written into a virtual host`);
  if (UNQUOTABLE.test(folder))
    throw new Error(`the path ${JSON.stringify(folder)} cannot be written into a virtual host`);
  const bad = UNQUOTABLE.exec(docroot) ?? UNQUOTABLE.exec(filesRoot);
  if (bad !== null)
    throw fail.invalid_docroot(`the web server cannot serve a folder whose path contains ${JSON.stringify(bad[0])}`);
}
