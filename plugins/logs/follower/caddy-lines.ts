import { isObject } from '../../../kernel/schema.ts';
import { escaped, type SiteLine } from './nginx-lines.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** In the year 2286; times beyond it are none of a log. */
const LATEST = 1e10;
/** Made for each error. */
const ERROR_ID = /^\{id=\w+\} /;
/** nginx's status where the visitor has gone before there was one. */
const CLIENT_GONE = 499;

/** Returns the lines of Caddy's access log, in the combined format. A request is served by the site that its host names. */
export function accessLines(text: string): SiteLine[] {
  return entries(text).flatMap(({ entry, request, at, ip, site }) => {
    const { user_id: user, size, status, duration } = entry;
    if (typeof size !== 'number' || typeof status !== 'number') return [];
    const [referrer, agent] = [header(request, 'Referer'), header(request, 'User-Agent')];
    const line =
      `${ip} - ${quotable(user) || '-'} [${localTime(at)}] "${requestLine(request)}" ${status || CLIENT_GONE} ${size} ` +
      `"${referrer}" "${agent}"`;
    const tookMs = typeof duration === 'number' && !isFile(entry) ? Math.round(duration * 1000) : 0;
    return [{ site, at, bytes: size, tookMs, line }];
  });
}

/** Returns the lines of Caddy's error log, in the format of nginx. The level depends on whether the site has error pages. */
export function errorLines(text: string): SiteLine[] {
  return entries(text).map(({ entry, request, at, ip, site }) => {
    const { msg, first_error: first } = entry;
    const what = quotable(isObject(first) ? first['msg'] : msg).replace(ERROR_ID, '');
    const line = `${day(at)} ${clock(at)} [error] ${what}, client: ${ip}, server: ${quotable(site)}, request: "${requestLine(request)}"`;
    return { site, at, bytes: 0, tookMs: 0, line };
  });
}

interface Entry {
  readonly entry: Record<string, unknown>;
  readonly request: Record<string, unknown>;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly ip: string;
  readonly site: string;
}

/** Leaves out what is no whole object: a line that a full disk cut off, and to which another one was added. */
function entries(text: string): Entry[] {
  return text.split('\n').flatMap((line) => {
    const entry = parsed(line);
    const request = entry?.['request'];
    if (entry === undefined || !isObject(request)) return [];
    const { ts } = entry;
    const { client_ip: client, remote_ip: ip = client, host } = request; // behind proxies that Caddy trusts, they differ
    const from = typeof client === 'string' ? client : ip;
    if (typeof ts !== 'number' || !(ts > 0 && ts < LATEST) || typeof from !== 'string' || typeof host !== 'string')
      return [];
    const site = host.replace(/:\d*$/, '').toLowerCase();
    return [{ entry, request, at: Math.round(ts * 1000), ip: quotable(from), site }];
  });
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (line === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    // cut off
    return undefined;
  }
}

const requestLine = ({ method, uri, proto }: Entry['request']): string =>
  [method, uri, proto].map((part) => quotable(part)).join(' ');

/** Whether it answered with a file, which takes as long as the visitor takes to get it. */
const isFile = ({ resp_headers: headers }: Entry['entry']): boolean => isObject(headers) && 'Accept-Ranges' in headers;

function header({ headers }: Entry['request'], name: string): string {
  const values = isObject(headers) ? headers[name] : undefined;
  return (Array.isArray(values) && quotable(values[0])) || '-';
}

/** Escapes what could end a quoted value, as nginx does. Bytes came as characters; those of JSON's own escapes are in UTF-8. */
function quotable(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.replaceAll(/[^ -~]|["\\]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code > 0xff ? [...Buffer.from(character)].map(escaped).join('') : escaped(code);
  });
}

function localTime(at: number): string {
  const date = new Date(at);
  const minutes = -date.getTimezoneOffset();
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`;
  return `${two(date.getDate())}/${MONTHS[date.getMonth()]}/${date.getFullYear()}:${clock(at)} ${zone}`;
}

function day(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('/');
}

function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0');
