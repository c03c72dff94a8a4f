import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** Files of a certificate for a name, signed by itself, made anew for each process. */
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
