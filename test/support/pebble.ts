/**
 * The ACME server of Let's Encrypt's makers, with name servers that send all names to this host; both stop when this process
 * exits.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { selfSigned, signedBy } from './certificate.ts';
import { endsWithTests } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { freePort } from './port.ts';
import { reportSkipped } from './suite.ts';
import { until } from './until.ts';

const PROGRAMS = ['/usr/bin/pebble', '/usr/bin/pebble-challtestsrv'] as const;

/** A domain that the policy of the authority forbids. */
export const REFUSED_DOMAIN = 'blocked-domain.example';

/** Whether both programs are installed. Throws in CI if they are not. */
export function hasPebble(): boolean {
  if (PROGRAMS.every((path) => existsSync(path))) return true;
  reportSkipped('tests with a real ACME server; install it with apt-get install -y pebble');
  return false;
}

interface Ports {
  readonly acme: number;
  readonly management: number;
  readonly dns: number;
  readonly names: number;
}

export class Pebble {
  readonly #ports: Ports;
  readonly #folder: string;
  readonly #ca: string;
  readonly #children: ChildProcess[] = [];

  private constructor(ports: Ports, ca: string) {
    this.#ports = ports;
    this.#folder = temporaryFolder();
    this.#ca = ca;
  }

  /** Starts it; names are proven at `httpPort`, or at `tlsPort`. */
  static async start(httpPort: number, validitySeconds = 90 * 86_400, tlsPort?: number): Promise<Pebble> {
    const authority = selfSigned('authority of the directory');
    const { cert, key } = signedBy(authority, 'DNS:localhost,IP:127.0.0.1');
    const [acme, management, dns, names] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const pebble = new Pebble({ acme, management, dns, names }, authority.cert);
    const config = {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: cert,
      privateKey: key,
      httpPort,
      tlsPort: tlsPort ?? (await freePort()),
      certificateValidityPeriod: validitySeconds,
      domainBlocklist: [REFUSED_DOMAIN],
    };
    writeFileSync(join(pebble.#folder, 'config.json'), JSON.stringify({ pebble: config }));
    pebble.#run(PROGRAMS[1], [
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${names}`, '-defaultIPv6', ''],
      ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
    ]);
    pebble.up();
    await pebble.untilUp();
    return pebble;
  }

  /** Settings of a node that orders from it. */
  get settings() {
    return {
      directory: `https://localhost:${this.#ports.acme}/dir`,
      ca_file: this.#ca,
      contact: 'operator@hostkeep.example',
      resolvers: [`127.0.0.1:${this.#ports.dns}`],
      check_seconds: 1,
      retry_seconds: 0,
    };
  }

  /** Resolves with the root of what it issues; PEM. */
  root(): Promise<string> {
    return new Promise((resolve, reject) => {
      const url = `https://localhost:${this.#ports.management}/roots/0`;
      get(url, { ca: readFileSync(this.#ca), agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
  }

  /** Has the name servers send a name elsewhere. */
  async resolve(host: string, addresses: readonly string[]): Promise<void> {
    const body = JSON.stringify({ host: `${host}.`, addresses });
    await fetch(`http://127.0.0.1:${this.#ports.names}/add-a`, { method: 'POST', body });
  }

  /** Starts it once more after `down`, without what it knew. */
  up(): void {
    this.#run(PROGRAMS[0], [
      ...['-config', join(this.#folder, 'config.json')],
      ...['-dnsserver', `127.0.0.1:${this.#ports.dns}`],
    ]);
  }

  async untilUp(): Promise<void> {
    for (const port of [this.#ports.acme, this.#ports.names])
      await until('the ACME server and its name servers', () => canConnect(port));
  }

  down(): void {
    this.#children.pop()?.kill('SIGKILL');
  }

  remove(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #run(program: string, args: readonly string[]): void {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '30', PEBBLE_AUTHZREUSE: '50' };
    this.#children.push(endsWithTests(spawn(program, args, { env, stdio: 'ignore' })));
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
