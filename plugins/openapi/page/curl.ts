import type { Operation } from './document.ts';
import { requestHeaders, requestTarget, type Input } from './request.ts';

/** Stands for the token in a command, so that it is in no history of a shell and in no note. */
const PLACEHOLDER = '$HOSTKEEP_TOKEN';

/** Returns what was typed as a command for a shell; the token is in it only if `withToken`. */
export function curlCommand(operation: Operation, input: Input, withToken: boolean): string {
  const { method, requestBody, security } = operation;
  const { Authorization: _, ...headers } = requestHeaders(operation, input);
  const needsToken = security.some((each) => 'bearer' in each);
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(location.origin + requestTarget(operation, input))}`,
    ...(needsToken
      ? [
          withToken
            ? `-H ${quoted(`Authorization: Bearer ${input.token}`)}`
            : `-H "Authorization: Bearer ${PLACEHOLDER}"`,
        ]
      : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(requestBody === undefined ? [] : [`-d ${quoted(input.body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
