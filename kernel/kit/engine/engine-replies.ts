/** Reads what the client library makes of replies. */
import { reasonIn, statusIn } from './engine-library.ts';

/** Returns the parsed body, `undefined` if it is empty. The library returns the bytes of what is no JSON. */
export async function json(reply: Promise<unknown>): Promise<unknown> {
  const body = await reply;
  if (!(body instanceof Uint8Array)) return body;
  if (body.length > 0) throw new Error('it is no JSON');
  return undefined;
}

/** Resolves with the status and the words by which an engine refuses; 0 if it does as it is asked. */
export async function refusal(asked: Promise<unknown>): Promise<{ readonly status: number; readonly reason: string }> {
  let error: unknown;
  await asked.catch((refused: unknown) => void (error = refused));
  const status = error === undefined ? 0 : statusIn(error);
  if (status === undefined) throw error;
  return { status, reason: status === 0 ? '' : reasonIn(error) };
}

/** Resolves with `undefined` for an answer with one of these statuses. */
export function unless(statuses: readonly number[], reply: Promise<unknown>): Promise<unknown> {
  return reply.catch((error: unknown) => {
    if (!statuses.includes(statusIn(error) ?? 0)) throw error;
  });
}
