/** Requests to a Hostkeep of a bench. */
import type { Running } from './processes.ts';

/** Rejects unless the answer is 2xx. */
export async function ask(
  server: Pick<Running, 'url'> | undefined,
  path: string,
  token: string,
  { headers, ...init }: RequestInit & { readonly duplex?: 'half'; readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  const all = { Authorization: `Bearer ${token}`, ...headers };
  const answer = await fetch(`${server?.url}${path}`, { ...init, headers: all });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** Sends JSON. Rejects unless the answer is 2xx. */
export function send(
  server: Pick<Running, 'url'> | undefined,
  method: 'POST' | 'PUT',
  path: string,
  token: string,
  body: unknown,
): Promise<Response> {
  return ask(server, path, token, {
    method,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}
