import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** Creates a self-signed certificate for a host name and returns the paths of its files. */
export function selfSigned(name: string): { cert: string; key: string } {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return { cert, key };
}
