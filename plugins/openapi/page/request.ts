import { ApiError, ask, fillPath, session } from '../../pages/kit/index.ts';
import type { Document, Operation, Parameter } from './document.ts';

/** Characters of a reply that are shown; the rest stays unread, also of a stream that never ends. */
const SHOWN_LENGTH = 256 * 1024;

/** The input for trying an operation. */
export interface Input {
  /** By name of the parameter. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  /** An API token in place of the session; empty for none. */
  readonly token: string;
}

/** A reply as far as it has come. */
export interface Received {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  /** Set for a picture: its URL, to be revoked once it is no longer shown. */
  readonly picture?: string;
  readonly isCut: boolean;
}

/** Resolves with the description for the API token, else for the session, else for a guest. */
export async function readDescription(token: string, signal: AbortSignal): Promise<Document> {
  if (token === '' && session.value != null) return ask<Document>('GET', '/openapi.json');
  const reply = await fetch('/openapi.json', { credentials: 'omit', headers: authorizationOf(token), signal });
  const body = (await reply.json()) as Document & Readonly<Record<string, unknown>>;
  if (!reply.ok) throw new ApiError(reply.status, body);
  return body;
}

/** Returns path and query of a request. */
export function requestTarget({ path, parameters = [] }: Operation, { values }: Pick<Input, 'values'>): string {
  const given = (where: Parameter['in']) =>
    Object.fromEntries(
      parameters.filter((each) => each.in === where).map(({ name }) => [name, values[name] ?? ''] as const),
    );
  const rest = parameters.filter(({ description }) => description?.endsWith(REST) === true).map(({ name }) => name);
  const pattern = path.replace(/\{(\w+)\}/g, (_, name: string) => `${rest.includes(name) ? '*' : ':'}${name}`);
  return fillPath(pattern, given('path'), given('query'));
}
/** How descriptions say that a parameter keeps its slashes, for which OpenAPI has no notation. */
const REST = 'Takes the rest of the path, slashes included';

export function requestHeaders({ parameters = [], requestBody }: Operation, input: Input): Record<string, string> {
  const own = parameters.filter((each) => each.in === 'header' && (input.values[each.name] ?? '') !== '');
  return {
    ...Object.fromEntries(own.map(({ name }) => [name, input.values[name] ?? ''])),
    ...(requestBody !== undefined && { 'Content-Type': 'application/json' }),
    ...authorizationOf(input.token),
  };
}

function authorizationOf(token: string): Record<string, string> {
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

/** Sends what was typed, as the session or with the API token, and reports the reply as it comes. */
export async function send(
  operation: Operation,
  input: Input,
  signal: AbortSignal,
  report: (received: Received) => void,
): Promise<void> {
  const reply = await fetch(requestTarget(operation, input), {
    method: operation.method,
    headers: { ...(input.token === '' && { 'Hostkeep-Page': '1' }), ...requestHeaders(operation, input) },
    credentials: input.token === '' ? 'same-origin' : 'omit',
    cache: 'no-store',
    signal,
    ...(operation.requestBody !== undefined && { body: input.body }),
  });
  const head = { status: reply.status, headers: [...reply.headers] };
  if (reply.headers.get('Content-Type')?.startsWith('image/') === true)
    return report({ ...head, text: '', picture: URL.createObjectURL(await reply.blob()), isCut: false });
  report({ ...head, text: '', isCut: false });
  if (reply.body !== null) await read(reply.body, (text, isCut) => report({ ...head, text, isCut }));
}

async function read(body: ReadableStream<Uint8Array>, report: (text: string, isCut: boolean) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (let text = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    report(text.slice(0, SHOWN_LENGTH), text.length > SHOWN_LENGTH);
    if (text.length > SHOWN_LENGTH) return reader.cancel();
  }
}
