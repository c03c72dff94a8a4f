import { createPrivateKey, X509Certificate } from 'node:crypto';
import { REDIRECT_TARGET, THUMBPRINT, type ServerSite } from '../../../kernel/contract/points/web-server-part.ts';
import { HOST_NAME } from '../../../kernel/kit/net/host-port.ts';
import { readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { PEM_FILE } from '../vhosts/vhost-folder.ts';

/** The server's own site, as the part with rights takes it: that has the certificate already. */
export interface OwnSite extends Omit<ServerSite, 'pem'> {
  /** The name of the file of its key and certificates. */
  readonly certificate: string;
}

/** Checks the server's own site again. Errors: 400 `invalid_request`. */
export function readOwnSite(value: unknown): OwnSite | null {
  if (value === null) return null;
  const { name, thumbprint, url, certificate } = readMembers(value, ['name', 'thumbprint', 'url', 'certificate']);
  return {
    name: readText(name, HOST_NAME),
    thumbprint: readText(thumbprint, THUMBPRINT),
    url: readText(url, REDIRECT_TARGET),
    certificate: readText(certificate, PEM_FILE),
  };
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
