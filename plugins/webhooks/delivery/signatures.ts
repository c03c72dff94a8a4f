import { createHmac } from 'node:crypto';

const STANDARD = 'whsec_';

interface Message {
  readonly id: string;
  /** When the attempt is made, in seconds since 1970. */
  readonly seconds: number;
  readonly body: string;
}

/** Returns the key of a secret; `undefined` unless it is `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks ask. */
export function decodeKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(STANDARD)) return undefined;
  const text = secret.slice(STANDARD.length).replace(/={1,2}$/, '');
  const key = Buffer.from(text, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text;
  return isBase64 && key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** Returns the headers that identify and sign a message as Standard Webhooks do, with one signature for each secret. */
export function signatureHeaders(secrets: readonly string[], { id, seconds, body }: Message): Record<string, string> {
  const signatures = secrets.map((secret) => `v1,${hmac(secret, `${id}.${seconds}.${body}`).toString('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

function hmac(secret: string, content: string): Buffer {
  const key = decodeKey(secret);
  if (key === undefined) throw new Error('the secret of a webhook is not base64'); // assertEndpoints refuses it before
  return createHmac('sha256', key).update(content).digest();
}
