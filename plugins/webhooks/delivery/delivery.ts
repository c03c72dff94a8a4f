import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LoggedEvent } from '../../../kernel/store/events/event-types.ts';
import { assertPublicHost, publicLookup } from './public-lookup.ts';
import { signatureHeaders } from './signatures.ts';

interface SendOptions {
  readonly url: URL;
  /** The current secret, and during a rotation the previous one. */
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

interface EndpointAnswer {
  readonly status: number;
  /** The header Retry-After, or empty. */
  readonly retryAfter: string;
  /** The beginning of the body. */
  readonly answer: string;
}

/** Kept of an answer's body, for who looks at it, and how long the body may take. */
const ANSWER_BYTES = 2048;
const ANSWER_MS = 500;
/** Read of it: a secret that begins before the end of what is kept is known as a whole. */
const READ_BYTES = 3 * ANSWER_BYTES;
/** A shorter part of a URL is no secret. */
const TELLING_CHARACTERS = 8;
const MASK = '•••';

/** Returns the body of a delivery; `id` is the same in every attempt, so that receivers can ignore duplicates. */
export function deliveryBody({ id, at, type, account_id, username, ip, line, data, node }: LoggedEvent): string {
  return JSON.stringify({
    id: String(id),
    type,
    at: new Date(at).toISOString(),
    account_id,
    username,
    ip,
    node: node || null,
    text: line,
    data,
  });
}

/**
 * Makes one attempt, on its own connection. Follows no redirects, and reads only the beginning of the response's body. Rejects when
 * the endpoint does not answer in time, or its address is not allowed.
 */
export async function send(
  body: string,
  eventId: number,
  { url, secrets, timeoutMs, allowPrivate, userAgent, signal }: SendOptions,
): Promise<EndpointAnswer> {
  if (!allowPrivate) assertPublicHost(url);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': userAgent,
    ...signatureHeaders(secrets, { id: String(eventId), seconds: Math.floor(Date.now() / 1000), body }),
  };
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    headers,
    signal,
    ...(allowPrivate ? {} : { lookup: publicLookup() }),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (response) => {
      clearTimeout(limit);
      const { statusCode: status = 0, headers } = response;
      void beginning(response).then((answer) => {
        resolve({ status, retryAfter: headers['retry-after'] ?? '', answer: masked(answer, url, secrets) });
        response.destroy();
      });
    });
    const limit = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    request.on('close', () => clearTimeout(limit));
    request.on('error', reject);
    request.end(body);
  });
}

/** Resolves with the beginning of a body, as far as it comes in time. */
async function beginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const limit = setTimeout(() => response.destroy(), ANSWER_MS);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // it broke off: what came is the answer
  }
  clearTimeout(limit);
  return Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8');
}

/**
 * Returns the beginning of an answer, in which dots stand for what it repeats of the secrets and of the URL, which may hold one. A
 * store in PostgreSQL takes no NUL.
 */
function masked(answer: string, { href, pathname, search, searchParams }: URL, secrets: readonly string[]): string {
  const keys = secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]);
  const parts = [
    href,
    `${pathname}${search}`,
    pathname,
    ...searchParams.values(),
    ...pathname.split('/'),
    ...search.split(/[?&=]/),
  ];
  let text = answer;
  for (const each of [...keys, ...parts.filter(({ length }) => length >= TELLING_CHARACTERS)]) {
    text = text.replaceAll(each, MASK).replaceAll(JSON.stringify(each).slice(1, -1).replaceAll('/', '\\/'), MASK);
  }
  return Buffer.from(text).subarray(0, ANSWER_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
}
