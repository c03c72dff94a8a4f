import { existsSync } from 'node:fs';
import type { Config } from '../../config/configuration.ts';
import { createFileSync } from '../../kit/files/atomic-file.ts';
import { newPrivateKey, signCertificate } from '../../kit/net/x509.ts';

/** Ten years: it is served until the plugin `certificates` has another one. */
const DAYS = 3650;
/** A common name has at most 64 characters, and a host name more. */
const NAME = 'Hostkeep';

/** Makes a self-signed certificate for `tls.host_name`, unless the file is there. */
export async function makeServerCertificate({ host_name: host, cert: file }: Config['tls']): Promise<void> {
  if (host === '' || existsSync(file)) return;
  const key = newPrivateKey();
  const made = await signCertificate({ subject: NAME, issuer: NAME, hosts: [host], key, issuerKey: key, days: DAYS });
  createFileSync(file, `${key}${made}\n`, { mode: 0o600, flush: true }); // or that of another worker stays
}
