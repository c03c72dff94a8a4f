import { createPrivateKey, X509Certificate } from 'node:crypto';
import { REDIRECT_TARGET, THUMBPRINT, type ServerSite } from '../../../kernel/contract/points/web-server-part.ts';
import { HOST_NAME } from '../../../kernel/kit/net/host-port.ts';
import { readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';

/** Checks the server's own site again. Errors: 400 `invalid_request`. */
export function readServerSite(value: unknown): ServerSite | null {
  if (value === null) return null;
  const { name, thumbprint, url } = readMembers(value, ['name', 'thumbprint', 'url']);
  const rest = { thumbprint: readText(thumbprint, THUMBPRINT), url: readText(url, REDIRECT_TARGET) };
  return { name: readText(name, HOST_NAME), ...rest };
}

/** Returns a private key and its certificates as they were given. Throws for anything else. */
export function readPem(value: unknown): string {
  const pem = readText(value, /^[\x20-\x7e\n]{1,65536}$/);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n/g) ?? [];
  const key = createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' });
  const certificates = blocks.map((block) => new X509Certificate(block).toString());
  if (certificates.length === 0 || pem !== key + certificates.join(''))
    throw new Error('a key must be followed by its certificates, and nothing else');
  return pem;
}
