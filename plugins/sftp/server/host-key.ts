import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createFileSync } from '../../../kernel/kit/files/atomic-file.ts';
import { readPublicKey } from '../public-key.ts';

const TYPE = 'ecdsa-sha2-nistp256';
const CURVE = 'nistp256';

/** Makes the key by which clients know the server, unless there is one, and resolves with its fingerprint. */
export async function keepHostKey(path: string): Promise<string> {
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    createFileSync(path, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600, flush: true });
  }
  const { x = '', y = '' } = createPublicKey(await readFile(path, 'utf8')).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const blob = Buffer.concat([TYPE, CURVE, point].map(field)).toString('base64');
  return readPublicKey(blob).fingerprint;
}

/** Returns a string with its length before it (RFC 4251, section 5). */
function field(value: string | Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value as string)]);
}
