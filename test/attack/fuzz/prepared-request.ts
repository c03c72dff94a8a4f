import { headBytes, type RawRequest } from '../target/raw-client.ts';
import { Placeholder, resolvePlaceholder } from './placeholder.ts';
import type { RequestTemplate } from './request-template.ts';
import type { TestAccount } from './test-accounts.ts';
import type { ValuePool } from './value-pool.ts';

/** A request ready to be sent, with the facts that the oracle needs. */
export interface PreparedRequest extends RawRequest {
  readonly template: RequestTemplate;
  readonly account: TestAccount;
  /** The JSON body, with its placeholders resolved. */
  readonly json: unknown;
  /** Whether it is HTTP within the parser's limits. */
  readonly isParseable: boolean;
  /** Whether its path may lead to another operation or to none: mangled, or with an empty parameter. */
  readonly mayMissOperation: boolean;
}

/** The parser accepts heads of 4 KiB and may refuse slightly smaller ones. */
const HEAD_BYTES = 3900;

/** Replaces the placeholders of a template. */
export function prepareRequest(
  template: RequestTemplate,
  account: TestAccount,
  other: TestAccount,
  pool: ValuePool,
  hostOf: string,
): PreparedRequest {
  const { operation, headers, contentType, authorization, method, mangle } = template;
  const path = pathOf(template, account, pool);
  const filled = (value: unknown) =>
    resolved(value, (placeholder) => resolvePlaceholder(placeholder, account, pool, path));
  const query = template.query.map(([name, value]) => `${encoded(name)}=${encoded(textOf(filled(value)))}`).join('&');
  const target = `${mangle?.(path) ?? path}${query === '' ? '' : '?'}${query}`;
  const json = template.body === undefined || Buffer.isBuffer(template.body) ? undefined : filled(template.body);
  const body = Buffer.isBuffer(template.body)
    ? template.body
    : json === undefined
      ? undefined
      : Buffer.from(JSON.stringify(json));
  const sent: RawRequest = {
    method,
    target,
    body,
    headers: [
      ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', hostOf] as const]),
      ...headers,
      ...(authorization === undefined
        ? []
        : [
            [
              'Authorization',
              authorization.replaceAll('{token}', account.token).replaceAll('{other}', other.token),
            ] as const,
          ]),
      ...(contentType === undefined || body === undefined ? [] : [['Content-Type', contentType] as const]),
    ],
  };
  const isParseable =
    !/[^\u0021-\u007e]/.test(target) &&
    headBytes(sent).length < HEAD_BYTES &&
    target.startsWith('/') &&
    operation.path !== '' &&
    !sent.headers.some(([, value]) => /[\u0000-\u001f\u007f]/.test(value));
  return {
    ...sent,
    template,
    account,
    json,
    isParseable,
    mayMissOperation:
      mangle !== undefined ||
      /\/(\/|$)/.test(path.slice(0, path.endsWith('/') && operation.path.endsWith('{path}') ? -1 : undefined)),
  };
}

function pathOf({ operation, path }: RequestTemplate, account: TestAccount, pool: ValuePool): string {
  let made = operation.path;
  for (const { name, description = '' } of operation.parameters.filter((each) => each.in === 'path')) {
    const value = path[name];
    const text =
      value instanceof Placeholder
        ? resolvePlaceholder(value, account, pool, made.slice(0, made.indexOf(`/{${name}}`)))
        : textOf(value);
    const written = description.includes('slashes included') ? text.split('/').map(encoded).join('/') : encoded(text);
    made = made.replace(`{${name}}`, () => written);
  }
  return made;
}

function resolved(value: unknown, resolve: (placeholder: Placeholder) => string): unknown {
  if (value instanceof Placeholder) return resolve(value);
  if (Array.isArray(value)) return value.map((each) => resolved(each, resolve));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, resolve)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** A lone surrogate has no UTF-8 form and is sent as U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** Returns the request as a shell command. */
export function curlOf(request: RawRequest, url: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = request.headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = request.body === undefined ? [] : ['--data-binary', quoted(request.body.toString().slice(0, 2000))];
  return [
    'curl -i --path-as-is',
    request.method === 'HEAD' ? '--head' : `-X ${request.method}`,
    quoted(url + request.target),
    ...headers,
    ...body,
  ].join(' ');
}
