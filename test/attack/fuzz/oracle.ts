import { declareErrors, errorKind, isErrorCode } from '../../../kernel/errors.ts';
import { allPlugins } from '../../support/hostkeep.ts';
import { codeOf, headerOf, jsonOf, plainBody, type RawResponse } from '../target/response-reader.ts';
import type { DescribedReply, Operation } from '../target/api-description.ts';
import type { PreparedRequest } from './prepared-request.ts';

// The server runs in another process, so its plugins' errors are declared here too.
for (const { errors } of await allPlugins()) if (errors !== undefined) declareErrors(errors);

/** Texts that no reply may contain: stack traces, paths and modules of the host, hashes, SQL errors. */
const SECRET =
  /\n\s+at .+:\d+:\d+|node_modules|\$argon2|SQLITE_[A-Z]+|\/kernel\/|\/plugins\/[a-z]+\/|\.ts:\d|ENOENT|EACCES/;
/** The part of them that not even administrators get. */
const SECRET_FOR_ALL = /\n\s+at .+:\d+:\d+|\$argon2/;
/** Operations that tell administrators, on purpose, where things are on the host, and what the system says of them. */
const TELLS_PATHS: ReadonlySet<string> = new Set([
  ...['admin operations.doctor', 'admin settings.list'],
  ...['list', 'switch', 'flush', 'restart'].map((name) => `user services.${name}`), // the account's own socket
]);
const PROBLEM_MEMBERS = ['type', 'title', 'status', 'detail', 'error', 'request_id'] as const;
/** Statuses of uWebSockets.js itself: not HTTP, a head over 4 KiB, an unknown version. */
const PARSER = new Set([400, 431, 505]);

const BODY_REFUSALS: ReadonlySet<number> = new Set([400, 413, 415]);

/** Checks responses against the API description and against the rules for every response. */
export class Oracle {
  readonly #methods: ReadonlyMap<string, readonly string[]>;
  readonly #forbidden: readonly string[];
  readonly #requestIds = new Set<string>();

  constructor(methods: ReadonlyMap<string, readonly string[]>, forbidden: readonly string[]) {
    this.#methods = methods;
    this.#forbidden = forbidden;
  }

  /** Returns what is wrong with a response; `undefined` if nothing is. */
  verdict(request: PreparedRequest, received: RawResponse): string | undefined {
    const { template } = request;
    const { status } = received;
    if (!request.isParseable && PARSER.has(status) && headerOf(received, 'content-type') === undefined)
      return undefined;
    return (
      this.#generalIssue(request, received) ??
      (request.mayMissOperation || !request.isParseable ? undefined : this.#descriptionIssue(request, received)) ??
      (template.expects === undefined ||
      request.mayMissOperation ||
      !request.isParseable ||
      isExpected(template.expects, status)
        ? undefined
        : `${template.flaw} returned ${status}, not ${template.expects.join(' or ')}`)
    );
  }

  #generalIssue({ method }: PreparedRequest, received: RawResponse): string | undefined {
    const { status, headers, body } = received;
    if (status >= 500 && status !== 503 && status !== 502) return `status ${status}`;
    const bad = headers.find(([name, value]) => /[^\u0020-\u007e]/.test(name + value));
    if (bad !== undefined) return `the header ${JSON.stringify(bad)}`;
    if (headers.some(([name]) => name.startsWith('access-control-') || name === 'set-cookie'))
      return 'a header that no response has';
    if (
      headerOf(received, 'x-content-type-options') !== 'nosniff' ||
      (headerOf(received, 'cache-control') ?? '') === ''
    )
      return 'no X-Content-Type-Options or Cache-Control';
    if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headerOf(received, 'retry-after') ?? ''))
      return `${status} without Retry-After`;
    if (method === 'HEAD' && body.length > 0) return 'a body in a response to HEAD';
    if (status < 400 || method === 'HEAD') return undefined;
    return isTwofaChallenge(received) ? undefined : (problemIssue(received) ?? this.#idIssue(received));
  }

  #idIssue(received: RawResponse): string | undefined {
    const { request_id: id } = jsonOf(received) as { request_id: string };
    if (this.#requestIds.has(id)) return `the request id ${id} a second time`;
    this.#requestIds.add(id);
    return undefined;
  }

  #descriptionIssue(
    { template: { operation, method: sentMethod }, method }: PreparedRequest,
    received: RawResponse,
  ): string | undefined {
    const { status } = received;
    if (status === 405) return this.#allowIssue(operation, sentMethod, received);
    if (status === 403 && operation.address === 'admin' && method !== 'HEAD' && codeOf(received) === 'host_not_allowed')
      return undefined;
    const described = operation.replies.get(status);
    if (described === undefined) return `the status ${status} is not described`;
    const secret =
      operation.tag === 'openapi' || method === 'HEAD' ? undefined : this.#secretIssue(operation, received);
    return secret ?? bodyIssue(described, method, received) ?? challengeIssue(received);
  }

  #allowIssue(operation: Operation, method: string, received: RawResponse): string | undefined {
    const methods = this.#methods.get(`${operation.address} ${operation.path}`) ?? [];
    if (methods.includes(method)) return `405 for ${method}, which the description names`;
    const allow = headerOf(received, 'allow');
    return allow === methods.join(', ')
      ? undefined
      : `405 with Allow: ${allow ?? 'nothing'} instead of ${methods.join(', ')}`;
  }

  #secretIssue({ id }: Operation, received: RawResponse): string | undefined {
    const text = received.body.length === 0 ? '' : plainBody(received).toString(); // none to HEAD
    const tellsPaths = TELLS_PATHS.has(id);
    const forbidden = this.#forbidden.filter((each) => !tellsPaths || !each.startsWith('/'));
    const found =
      (tellsPaths ? SECRET_FOR_ALL : SECRET).exec(text)?.[0] ?? forbidden.find((each) => text.includes(each));
    return found === undefined ? undefined : `the body contains ${JSON.stringify(found)}`;
  }
}

/** A lost session, a lost feature and the throttle are reported before the body is validated. */
function isExpected(expects: readonly number[], status: number): boolean {
  return (
    expects.includes(status) ||
    (expects.some((each) => BODY_REFUSALS.has(each)) && [401, 403, 429, 503].includes(status))
  );
}

function isTwofaChallenge(received: RawResponse): boolean {
  return received.status === 401 && headerOf(received, 'content-type') === 'application/json';
}

function problemIssue(received: RawResponse): string | undefined {
  const { status } = received;
  if (headerOf(received, 'content-type') !== 'application/problem+json') return `${status} is not a problem document`;
  const body = jsonOf(received) as Readonly<Record<string, unknown>> | undefined;
  const missing = PROBLEM_MEMBERS.find((name) => body?.[name] === undefined || body[name] === '');
  if (body === undefined || missing !== undefined) return `a problem without ${missing ?? 'JSON'}`;
  const code = String(body['error']);
  if (!isErrorCode(code) || errorKind(code)[0] !== status || body['status'] !== status)
    return `the problem ${code} with the status ${status}`;
  return body['type'] === `urn:hostkeep:error:${code}` ? undefined : `the type ${String(body['type'])}`;
}

function bodyIssue({ contents, codes }: DescribedReply, method: string, received: RawResponse): string | undefined {
  const type = headerOf(received, 'content-type')?.split(';')[0]?.trim();
  if (received.status === 304) return undefined;
  if (received.status === 204) return type === undefined && received.body.length === 0 ? undefined : 'content in a 204';
  if (type === undefined || !contents.has(type))
    return `the type ${type ?? 'none'} is not described for ${received.status}`;
  if (method === 'HEAD') return undefined;
  const check = contents.get(type);
  if (check !== undefined && !check(jsonOf(received)))
    return `the body does not fit: ${check.errors?.map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`).join(', ') ?? ''}`;
  const code = codeOf(received);
  return type === 'application/problem+json' && !codes.has(code)
    ? `the error ${code} is not described for ${received.status}`
    : undefined;
}

function challengeIssue(received: RawResponse): string | undefined {
  return received.status === 401 && headerOf(received, 'www-authenticate') !== 'Bearer'
    ? '401 without WWW-Authenticate'
    : undefined;
}
