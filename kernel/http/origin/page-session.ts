import { ipText } from '../../kit/net/ip.ts';
import type { Address } from '../../contract/route-spec.ts';
import type { RoutingTable } from '../routing-table.ts';
import type { UwsRequest, UwsResponse } from '../uws.ts';

const PAGE = Buffer.from('hostkeep-page');
const AUTHORIZATION = Buffer.from('authorization');

/** Turns tokens into the values of cookies, and back. */
export interface CookieSeal {
  sealCookie(token: string): string;
  /** Returns `undefined` for what was not sealed here. */
  openCookie(value: string): string | undefined;
}

/**
 * A request of one of our own web pages, and the cookie that holds the token of its session, so that no script can read
 * the token. The value is sealed: a service on another port of the host, which receives the cookie too, learns no token.
 * The cookie counts only together with the header `Hostkeep-Page: 1`, which a page of another origin cannot send without a
 * preflight that is never granted, and only if the browser says that the request is from our origin. Pages cannot send
 * headers with a WebSocket, for which browsers always name the origin instead.
 */
export class PageSession {
  /** The value for an `Authorization` header; empty if there is no cookie. */
  readonly authorization: string;
  readonly #name: string;
  readonly #attributes: string;
  readonly #seal: CookieSeal;

  constructor(cookies: string, address: Address, isHttps: boolean, seal: CookieSeal) {
    this.#seal = seal;
    // The addresses may share a host, and cookies do not tell ports apart.
    this.#name = `${isHttps ? '__Host-' : ''}hostkeep-${address}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
    const value = onlyValue(cookies, this.#name);
    const token = value === undefined ? undefined : seal.openCookie(value);
    this.authorization = token === undefined ? '' : `Bearer ${token}`;
  }

  /** Returns the `Set-Cookie` that gives the page a session. */
  begin(token: string, seconds: number): string {
    return `${this.#name}=${this.#seal.sealCookie(token)}; Max-Age=${seconds}; ${this.#attributes}`;
  }

  /** Returns the `Set-Cookie` that takes the session away. */
  end(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}

/** Returns the session of a page of this address; `undefined` for other requests, and beside an `Authorization` header. */
export function pageSession(
  req: UwsRequest,
  res: UwsResponse,
  table: RoutingTable,
  { address, sessions: seal }: { readonly address: Address; readonly sessions: CookieSeal },
  isHandshake: boolean,
): PageSession | undefined {
  if (req.getHeader(AUTHORIZATION) !== '' || (!isHandshake && req.getHeader(PAGE) !== '1')) return undefined;
  const isHttps = table.isTls || table.proxies.saysHttps(ipText(new Uint8Array(res.getRemoteAddress())), req);
  const isOurs = isHandshake ? isOurOrigin(req, isHttps) : isSameOrigin(req, isHttps);
  return isOurs ? new PageSession(req.getHeader('cookie'), address, isHttps, seal) : undefined;
}

/** Browsers send `Sec-Fetch-Site` to secure contexts only, and `Origin` with whatever is not a plain read. */
function isSameOrigin(req: UwsRequest, isHttps: boolean): boolean {
  const site = req.getHeader('sec-fetch-site');
  return site === '' ? isOurOrigin(req, isHttps) : site === 'same-origin';
}

function isOurOrigin(req: UwsRequest, isHttps: boolean): boolean {
  const host = req.getHeader('host');
  return host !== '' && req.getHeader('origin') === `${isHttps ? 'https' : 'http'}://${host}`;
}

/** Returns the value of a cookie; `undefined` also if there are two, of which somebody else must have set one. */
function onlyValue(cookies: string, name: string): string | undefined {
  const values = cookies
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${name}=`))
    .map((each) => each.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
