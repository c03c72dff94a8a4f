import { declareErrors, errorKind, isErrorCode } from '../../kernel/errors.ts';
import { headerOf, type Received } from './client.ts';
import type { DescribedReply, Operation } from './description.ts';
import type { Question } from './question.ts';
import { allPlugins } from '../support/hostkeep.ts';

// The server may run in another process; its plugins' errors are judged here.
for (const { errors } of await allPlugins()) declareErrors(errors ?? {});

/** What no answer may hold, whoever asks: traces, places and modules of the host, hashes, SQL. */
const SECRET =
  /\n\s+at .+:\d+:\d+|node_modules|\$argon2|SQLITE_[A-Z]+|\/kernel\/|\/plugins\/[a-z]+\/|\.ts:\d|ENOENT|EACCES/;
const PROBLEM_MEMBERS = ['type', 'title', 'status', 'detail', 'error', 'request_id'] as const;
/** What uWebSockets.js itself refuses: no HTTP, a head over 4 KiB, a version that it does not know. */
const PARSER = new Set([400, 431, 505]);

const BODY_REFUSALS: ReadonlySet<number> = new Set([400, 413, 415]);

/** Judges answers by the description and by the rules of every address. */
export class Judge {
  readonly #methods: ReadonlyMap<string, readonly string[]>;
  readonly #forbidden: readonly string[];
  readonly #requestIds = new Set<string>();

  constructor(methods: ReadonlyMap<string, readonly string[]>, forbidden: readonly string[]) {
    this.#methods = methods;
    this.#forbidden = forbidden;
  }

  /** What is wrong with an answer; `undefined` when nothing is. */
  verdict(question: Question, received: Received): string | undefined {
    const { draft } = question;
    const { status } = received;
    if (!question.isHttp && PARSER.has(status) && headerOf(received, 'content-type') === undefined) return undefined;
    return (
      this.#everywhere(question, received) ??
      (question.isElsewhere || !question.isHttp ? undefined : this.#described(question, received)) ??
      (draft.expects === undefined || question.isElsewhere || !question.isHttp || isExpected(draft.expects, status)
        ? undefined
        : `${draft.flaw} is answered with ${status}, not ${draft.expects.join(' or ')}`)
    );
  }

  #everywhere({ method }: Question, received: Received): string | undefined {
    const { status, headers, body } = received;
    if (status >= 500 && status !== 503 && status !== 502) return `status ${status}`;
    const bad = headers.find(([name, value]) => /[^\u0020-\u007e]/.test(name + value));
    if (bad !== undefined) return `the header ${JSON.stringify(bad)}`;
    if (headers.some(([name]) => name.startsWith('access-control-') || name === 'set-cookie'))
      return 'a header that no reply has';
    if (
      headerOf(received, 'x-content-type-options') !== 'nosniff' ||
      (headerOf(received, 'cache-control') ?? '') === ''
    )
      return 'no X-Content-Type-Options or Cache-Control';
    if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headerOf(received, 'retry-after') ?? ''))
      return `${status} without Retry-After`;
    if (method === 'HEAD' && body.length > 0) return 'an answer to HEAD has a body';
    if (status < 400 || method === 'HEAD') return undefined;
    return isTwofaQuestion(received) ? undefined : (problemIssue(received) ?? this.#idIssue(received));
  }

  #idIssue(received: Received): string | undefined {
    const { request_id: id } = jsonOf(received) as { request_id: string };
    if (this.#requestIds.has(id)) return `the request id ${id} for the second time`;
    this.#requestIds.add(id);
    return undefined;
  }

  #described({ draft: { operation, method: asked }, method }: Question, received: Received): string | undefined {
    const { status } = received;
    if (status === 405) return this.#allowIssue(operation, asked, received);
    if (status === 403 && operation.address === 'admin' && method !== 'HEAD' && codeOf(received) === 'host_not_allowed')
      return undefined;
    const described = operation.replies.get(status);
    if (described === undefined) return `the status ${status} is not described`;
    const secret = operation.tag === 'openapi' || method === 'HEAD' ? undefined : this.#secretIssue(received);
    return secret ?? bodyIssue(described, method, received) ?? challengeIssue(received);
  }

  #allowIssue(operation: Operation, method: string, received: Received): string | undefined {
    const methods = this.#methods.get(`${operation.address} ${operation.path}`) ?? [];
    if (methods.includes(method)) return `405 for ${method}, which is described`;
    const allow = headerOf(received, 'allow');
    return allow === methods.join(', ')
      ? undefined
      : `405 with Allow: ${allow ?? 'nothing'}, where ${methods.join(', ')} are described`;
  }

  #secretIssue({ body }: Received): string | undefined {
    const text = body.toString();
    const found = SECRET.exec(text)?.[0] ?? this.#forbidden.find((each) => text.includes(each));
    return found === undefined ? undefined : `the body tells ${JSON.stringify(found)}`;
  }
}

/** Who lost a session or a feature meanwhile, or is throttled, is told so before the body is judged. */
function isExpected(expects: readonly number[], status: number): boolean {
  return (
    expects.includes(status) ||
    (expects.some((each) => BODY_REFUSALS.has(each)) && [401, 403, 429, 503].includes(status))
  );
}

export function jsonOf({ body }: Received): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

export function codeOf(received: Received): string {
  const body = jsonOf(received);
  return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
}

function isTwofaQuestion(received: Received): boolean {
  return received.status === 401 && headerOf(received, 'content-type') === 'application/json';
}

function problemIssue(received: Received): string | undefined {
  const { status } = received;
  if (headerOf(received, 'content-type') !== 'application/problem+json') return `${status} is no problem document`;
  const body = jsonOf(received) as Readonly<Record<string, unknown>> | undefined;
  const missing = PROBLEM_MEMBERS.find((name) => body?.[name] === undefined || body[name] === '');
  if (body === undefined || missing !== undefined) return `a problem without ${missing ?? 'JSON'}`;
  const code = String(body['error']);
  if (!isErrorCode(code) || errorKind(code)[0] !== status || body['status'] !== status)
    return `the problem ${code} with the status ${status}`;
  return body['type'] === `urn:hostkeep:error:${code}` ? undefined : `the type ${String(body['type'])}`;
}

function bodyIssue({ contents, codes }: DescribedReply, method: string, received: Received): string | undefined {
  const type = headerOf(received, 'content-type')?.split(';')[0]?.trim();
  if (received.status === 304) return undefined;
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

function challengeIssue(received: Received): string | undefined {
  return received.status === 401 && headerOf(received, 'www-authenticate') !== 'Bearer'
    ? '401 without WWW-Authenticate'
    : undefined;
}
