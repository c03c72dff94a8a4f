import { STATUS_CODES } from 'node:http';
import type { HttpError } from '../../errors.ts';

/** Status lines such as `404 Not Found`, by status. */
export const STATUS_LINES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, text]) => [status, `${status} ${text ?? ''}`]),
);

/** The words of an error, in the language of its reader. */
export interface ErrorTexts extends Pick<HttpError, 'members'> {
  readonly title: string;
  readonly detail: string;
}

/** Returns the reply for an error: RFC 9457 problem details, with the stable code as `error`. */
export function problem(
  error: HttpError,
  requestId: string,
  { title, detail, members }: ErrorTexts,
): { status: number; headers: [string, string][]; body: string } {
  const { code, status, headers = {} } = error;
  const body = {
    type: `urn:hostkeep:error:${code}`,
    title,
    status,
    detail,
    error: code,
    request_id: requestId,
    ...members,
  };
  return { status, headers: Object.entries(headers), body: JSON.stringify(body) };
}
