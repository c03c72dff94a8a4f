/**
 * Connections to PostgreSQL that are encrypted, and refused if they lead to anybody else.
 *
 */
import * as assert from '../../../support/assert.ts';
import { openCore } from '../../../../kernel/run/core.ts';
import { createLog } from '../../../../kernel/log.ts';
import { selfSigned, signedBy, type CertificateFiles } from '../../../support/certificate.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig } from '../../../support/hostkeep.ts';
import { freePort } from '../../../support/port.ts';
import { Postgres } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('postgres tls');
const authority = selfSigned('authority');
let server: Postgres;
let port: number;
test.before(async () => {
  port = await freePort();
  server = Postgres.start(['fsync=off'], port);
});
test.after(() => server.remove());

/** Starts the server again, with a certificate or without. */
function restart(files?: CertificateFiles): void {
  server.stop();
  server.serve(['fsync=off', ...(files === undefined ? [] : server.tlsSettings(files))]);
}

/** What a connection says that a busy machine had no time for. */
const LATE = /connection timeout|no answer within|cannot be reached/;

/** Opens a store, and resolves with whether the connection is encrypted; with the reason if it is refused. */
async function open(host: string, query: string): Promise<boolean | string> {
  const url = `postgres://postgres@${host}:${port}/postgres?${query}`;
  for (;;)
    try {
      const core = await openCore(testConfig(temporaryFolder(), { store: { url } }), createLog('silent'));
      const row = await core.store.get<{ ssl: number }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      await core.close();
      return row?.ssl === 1;
    } catch (error) {
      if (!LATE.test(String(error))) return String(error);
    }
}

const VERIFIED = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.cert)}`;

// asvs 12.3.1: no fallback to plain connections
test('a server without TLS is refused where the URL asks for it', async () => {
  restart();
  assert.match(String(await open('localhost', VERIFIED)), /cannot be opened: The server does not support SSL/);
  assert.is(await open('localhost', 'sslmode=disable'), false);
});

// asvs 12.3.2, 12.3.4: certificates of the database server are verified
test('a certificate that another authority signed, or that has expired, is refused', async () => {
  restart(signedBy(selfSigned('other'), 'DNS:localhost'));
  assert.match(
    String(await open('localhost', VERIFIED)),
    /cannot be opened: (unable to verify|self-signed certificate)/,
  );
  assert.match(String(await open('localhost', 'sslmode=verify-full')), /cannot be opened: unable to/);
  restart(signedBy(authority, 'DNS:localhost', { hasExpired: true }));
  assert.match(String(await open('localhost', VERIFIED)), /cannot be opened: certificate has expired/);
});

test('a certificate of another name is refused, and the next host is tried', async () => {
  restart(signedBy(authority, 'DNS:database.example'));
  for (const host of ['localhost', '127.0.0.1'])
    assert.match(String(await open(host, VERIFIED)), /cannot be opened: Hostname\/IP does not match/, host);
  restart(signedBy(authority, 'DNS:localhost'));
  assert.match(String(await open('127.0.0.1', VERIFIED)), /cannot be opened: Hostname\/IP does not match/);
  assert.is(await open(`127.0.0.1:${port},localhost`, VERIFIED), true);
});

test('a certificate of the name or address is accepted, and traffic is encrypted', async () => {
  restart(signedBy(authority, 'DNS:localhost,IP:127.0.0.1'));
  for (const host of ['localhost', '127.0.0.1']) assert.is(await open(host, VERIFIED), true, host);
});
