import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const SIGNED_BY_ITSELF = ['req', '-x509', ...NEW_KEY, '-days', '1'];

/** Creates a self-signed certificate for a host name and returns the paths of its files. */
export function selfSigned(name: string): CertificateFiles {
  const files = filesIn(temporaryFolder());
  openssl(...SIGNED_BY_ITSELF, '-subj', `/CN=${name}`, '-keyout', files.key, '-out', files.cert);
  return files;
}

/** What `openssl ca` wants to know; unlike `openssl x509`, it takes the dates of a certificate in every version. */
const AUTHORITY_SETTINGS = `[ca]
default_ca = own
[own]
new_certs_dir = .
database = index
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`;

/**
 * Creates a certificate for a host name or an address, such as `DNS:localhost`, that another one signs, and that is good for
 * two days from yesterday on, or was in 2020.
 */
export function signedBy(authority: CertificateFiles, name: string, { hasExpired = false } = {}): CertificateFiles {
  const folder = temporaryFolder();
  const files = filesIn(folder);
  const named = ['-subj', '/CN=server', '-addext', `subjectAltName=${name}`];
  openssl('req', ...NEW_KEY, ...named, '-keyout', files.key, '-out', join(folder, 'request.pem'));
  writeFileSync(join(folder, 'settings'), AUTHORITY_SETTINGS);
  writeFileSync(join(folder, 'index'), '');
  const from = hasExpired ? Date.UTC(2020, 0, 1) : Date.now() - DAY_MS;
  const dates = ['-startdate', timeOf(from), '-enddate', timeOf(from + 2 * DAY_MS)];
  const signer = ['-cert', authority.cert, '-keyfile', authority.key];
  const args = [
    '-batch',
    '-notext',
    '-config',
    'settings',
    ...signer,
    ...dates,
    '-in',
    'request.pem',
    '-out',
    files.cert,
  ];
  execFileSync('openssl', ['ca', ...args], { cwd: folder, stdio: 'ignore' });
  return files;
}

/** YYYYMMDDHHMMSSZ, in UTC. */
const timeOf = (ms: number): string => `${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`;

const filesIn = (folder: string): CertificateFiles => ({
  cert: join(folder, 'cert.pem'),
  key: join(folder, 'key.pem'),
});

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}
