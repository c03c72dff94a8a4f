import type { Api } from 'hostkeep:api';

export type Route = keyof Api;
type Input<R extends Route> = (Api[R]['params'] extends undefined ? object : { readonly params: Api[R]['params'] }) &
  (Api[R]['query'] extends undefined ? object : { readonly query?: Api[R]['query'] }) &
  (Api[R]['body'] extends undefined ? object : { readonly body: Api[R]['body'] }) & {
    readonly signal?: AbortSignal;
    /** The ETag of what the request changes, which must not have changed meanwhile. */
    readonly ifMatch?: string;
  };
export type ReplyOf<R extends Route> = Api[R]['reply'];

/** A problem reply of the API (RFC 9457), or a failure to answer: status 0. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter?: number) {
    super(String(body['title'] ?? ''));
    this.status = status;
    this.body = body;
    this.code = String(body['error'] ?? '');
    this.detail = String(body['detail'] ?? '');
    this.requestId = String(body['request_id'] ?? '');
    this.retryAfter = retryAfter;
  }

  /** Whether what the request names is not there; a route or a node of a fleet that is not there is something else. */
  get isGone(): boolean {
    return this.status === 404 && !['not_found', 'node_not_found'].includes(this.code);
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

/**
 * Called with each answer: with the error, if it is one, and the path that was asked. The shell sees there that a session has
 * ended, that a feature was switched off, or that a node of a fleet cannot be reached.
 */
export const onAnswer: ((error: ApiError | undefined, path: string) => void)[] = [];

/**
 * Resolves, for a refused request, with whether the same account has logged in again since: then it is sent once more. Set by
 * what follows the session.
 */
let readyAgain: (error: ApiError) => Promise<boolean> = () => Promise.resolve(false);
export function setReadyAgain(resolve: typeof readyAgain): void {
  readyAgain = resolve;
}

/** With it, the cookie counts as a token; without it, no request of ours is from a page. */
export const HEADERS = { 'Hostkeep-Page': '1', Accept: 'application/json' };

/** Sends a request to the API. Rejects with `ApiError`. */
export async function api<R extends Route>(
  route: R,
  ...[input]: object extends Input<R> ? [Input<R>?] : [Input<R>]
): Promise<ReplyOf<R>> {
  const given = (input ?? {}) as Pick<RequestInit, 'signal'> &
    Partial<Record<'params' | 'query' | 'body', object>> & { ifMatch?: string };
  const [method = 'GET', pattern = ''] = route.split(' ');
  const response = await send(fillPath(pattern, given.params, given.query), {
    method,
    headers: {
      ...HEADERS,
      ...(given.body !== undefined && { 'Content-Type': 'application/json' }),
      ...(given.ifMatch !== undefined && { 'If-Match': given.ifMatch }),
    },
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    ...(given.signal && { signal: given.signal }),
  });
  return (await response.json()) as ReplyOf<R>;
}

/** Sends a removal. It succeeds also where what it removes is gone already: another window may have removed it. */
export async function sendRemoval<R extends Route>(
  route: R,
  ...input: object extends Input<R> ? [Input<R>?] : [Input<R>]
): Promise<void> {
  try {
    await api(route, ...input);
  } catch (error) {
    if (!(error instanceof ApiError && error.isGone)) throw error;
  }
}

/** Sends a request to a route of a plugin that may not be there, whose types are therefore not known. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = body === undefined ? HEADERS : { ...HEADERS, 'Content-Type': 'application/json' };
  const response = await send(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
}

/** Returns the path of a request, every part encoded once. */
export function fillPath(pattern: string, params: object = {}, query: object = {}): string {
  const values = params as Record<string, unknown>;
  const path = pattern.replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const text = String(values[name] ?? '');
    return kind === '*' ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
  });
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? path
    : `${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/** Fetches from our own origin as a page. Rejects with `ApiError`, also when nobody answers. */
export function send(path: string, init: RequestInit = {}): Promise<Response> {
  return againAfterLogin(init.method ?? 'GET', () => sendOnce(path, init));
}

/**
 * Sends a request. A change that was refused because the session had ended is sent again after the login; what is only read,
 * the page asks for again by itself.
 */
export async function againAfterLogin<T>(method: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isChange = !['GET', 'HEAD'].includes(method);
    if (!isChange || !(error instanceof ApiError) || !(await readyAgain(error))) throw error;
    return act();
  }
}

async function sendOnce(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { headers: HEADERS, ...init });
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw reported(new ApiError(0, {}), path);
  }
  if (!response.ok) throw refusal(path, response.status, await response.text(), response.headers.get('Retry-After'));
  reported(undefined, path);
  return response;
}

/** Returns the error that a reply says, which is no problem reply where it came from a proxy. */
export function refusal(path: string, status: number, text: string, retryAfter: string | null): ApiError {
  const seconds = Number(retryAfter);
  return reported(new ApiError(status, parsed(text), seconds > 0 ? seconds : undefined), path);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {}; // a proxy's page: the status alone says what is wrong
  }
}

/** Tells those who listen how a request was answered. */
export function reported<E extends ApiError | undefined>(error: E, path: string): E {
  for (const listener of onAnswer) listener(error, path);
  return error;
}
