import { isObject } from '../../../kernel/schema.ts';
import { retryAfterMs } from '../../../kernel/kit/net/retry-after.ts';
import type { AcmeAnswer } from './acme-answer.ts';

interface FailureOptions {
  readonly cause?: unknown;
  /** Within which the authority wants no further order, of any domain. */
  readonly pauseMs?: number;
  /** Whether the authority does not know the account (any more). */
  readonly isAccountGone?: boolean;
}

/** Why there is no certificate, in words for people. */
export class AcmeFailure extends Error {
  readonly pauseMs: number;
  readonly isAccountGone: boolean;

  constructor(message: string, { cause, pauseMs = 0, isAccountGone = false }: FailureOptions = {}) {
    super(message.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ').slice(0, 500), cause === undefined ? {} : { cause });
    this.pauseMs = pauseMs;
    this.isAccountGone = isAccountGone;
  }
}

const TYPES = 'urn:ietf:params:acme:error:';
/** After what a refusal says that too much was asked for, without saying for how long. */
const PAUSE_MS = 3_600_000;

const isType = (body: unknown, type: string): boolean => isObject(body) && body['type'] === `${TYPES}${type}`;
export const isBadNonce = (body: unknown): boolean => isType(body, 'badNonce');

/** Describes a refusal (RFC 8555, 6.7), with the first problem of a single name. */
export function refusal({ status, header }: AcmeAnswer, body: unknown, now: number): AcmeFailure {
  const asked = retryAfterMs(status, header('retry-after'), now);
  const isLimit = status === 429 || isType(body, 'rateLimited');
  return new AcmeFailure(describeProblem(body) || `the authority answers ${status}`, {
    pauseMs: asked || (isLimit ? PAUSE_MS : 0),
    isAccountGone: isType(body, 'accountDoesNotExist'),
  });
}

/** Returns what a problem document says; empty for anything else. */
export function describeProblem(problem: unknown): string {
  if (!isObject(problem)) return '';
  const [first] = Array.isArray(problem['subproblems']) ? (problem['subproblems'] as unknown[]) : [];
  const said = [problem, first].flatMap((each) => (isObject(each) ? String(each['detail'] ?? '') : []));
  return [...new Set(said)].filter(Boolean).join(': ');
}
