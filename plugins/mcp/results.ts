import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Locales } from '../../kernel/config/locales.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { RouteAnswer } from '../../kernel/contract/route-calls.ts';
import { fail } from './errors.ts';

/** About 16,000 tokens: an agent has little use for more, and pays for it. */
const TEXT_BYTES = 64 * 1024;
const IMAGE_BYTES = 1024 * 1024;

/** Returns a route's answer as text. Errors: 507 `reply_too_large`. */
export function answerText({ value, reply }: RouteAnswer): string {
  const text = value === undefined && reply !== undefined ? Buffer.from(reply.body).toString() : JSON.stringify(value);
  return bounded(text, Buffer.byteLength(text), TEXT_BYTES);
}

/** Returns a route's answer as the content of a tool's result. Errors: 507 `reply_too_large`. */
export function toResult(answer: RouteAnswer): CallToolResult {
  const { reply } = answer;
  if (reply?.type.startsWith('image/') !== true) return { content: [{ type: 'text', text: answerText(answer) }] };
  const body = bounded(Buffer.from(reply.body), reply.body.length, IMAGE_BYTES);
  return { content: [{ type: 'image', data: body.toString('base64'), mimeType: reply.type }] };
}

/** A problem, as a client of the route would get it. */
export interface Problem {
  readonly error: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

export function toProblem(
  { code, status }: HttpError,
  { title, detail, members }: ReturnType<Locales['errorTexts']>,
): Problem {
  return { error: code, status, title, detail, ...members };
}

/** Returns the result of a tool that failed, which the agent can read and act on. */
export function toFailureResult(problem: Problem): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(problem) }] };
}

function bounded<T>(content: T, bytes: number, limit: number): T {
  if (bytes <= limit) return content;
  const detail = `the reply has ${bytes} bytes, and agents get at most ${limit}: ask for less, with limit or a filter`;
  throw fail.reply_too_large(detail);
}
