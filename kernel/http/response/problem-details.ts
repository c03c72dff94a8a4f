import { STATUS_CODES } from 'node:http';
import type { HttpError } from '../../errors.ts';

/** Status lines such as `404 Not Found`, by status. */
export const STATUS_LINES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, text]) => [status, `${status} ${text ?? ''}`]),
);

/** Returns the reply for an error: RFC 9457 problem details, with the stable code as `error`. */
export function problem(
  error: HttpError,
  requestId: string,
  titleOf: (code: string) => string,
): { status: number; headers: [string, string][]; body: string } {
  const { code, status, message, members, headers = {} } = error;
  const body = {
    type: `urn:hostkeep:error:${code}`,
    title: titleOf(code),
    status,
    detail: message,
    error: code,
    request_id: requestId,
    ...members,
  };
  return { status, headers: Object.entries(headers), body: JSON.stringify(body) };
}
