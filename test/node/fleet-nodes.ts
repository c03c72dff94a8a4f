/** Installed nodes, the network between them, and the PostgreSQL that they share. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { selfSigned, signedBy } from '../support/certificate.ts';
import { freePort } from '../support/port.ts';
import { Postgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { Machine } from './machine.ts';
import { ADMIN, install, PACKAGE, USER } from './packages.ts';

const BRIDGE = 'nodes';
/** The name that the network has in machines. */
const CARD = 'host0';
const STORE_ADDRESS = '192.0.2.1';
const STORE_PASSWORD = 'battery staple';
const FLEET_PORT = 7443;
const UNIT = '/etc/systemd/system/hostkeep.service.d';
const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Makes the network, in which this process has the address of the store. It must have a network of its own (`hasOwnNetwork`). */
export function makeNetwork(): void {
  // without an address it takes that of one machine after the other, and connections to it break
  ip('link', 'add', BRIDGE, 'address', '02:00:00:00:00:01', 'type', 'bridge');
  ip('address', 'add', `${STORE_ADDRESS}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
}

/** A database that is reached over TLS, and only with its password. */
export class SharedStore {
  readonly server: Postgres;
  readonly url: string;
  /** PEM */
  readonly authority: string;

  private constructor(server: Postgres, port: number, authority: string) {
    this.server = server;
    this.authority = authority;
    const query = 'sslmode=verify-full&sslrootcert=/etc/hostkeep/store-ca.pem';
    this.url = `postgres://hostkeep@${STORE_ADDRESS}:${port}/hostkeep?${query}`;
  }

  static async start(): Promise<SharedStore> {
    const port = await freePort();
    const authority = selfSigned('authority');
    const server = Postgres.start(['fsync=off'], port);
    server.stop();
    const hosts = join(server.folder, 'data/pg_hba.conf');
    appendFileSync(hosts, 'hostssl hostkeep hostkeep 192.0.2.0/24 scram-sha-256\n');
    const certificate = server.tlsSettings(signedBy(authority, `IP:${STORE_ADDRESS}`));
    server.serve(['fsync=off', `listen_addresses=${STORE_ADDRESS}`, ...certificate]);
    for (const statement of [
      `create role hostkeep login password '${STORE_PASSWORD}'`,
      'create database hostkeep owner hostkeep',
    ])
      execFileSync('psql', ['--quiet', '--no-psqlrc', '--command', statement, server.url]);
    return new SharedStore(server, port, readFileSync(authority.cert, 'utf8'));
  }
}

/** A machine with the package, the nginx of the system in front of sites, and two workers. */
export class FleetNode extends Machine {
  readonly address: string;
  /** The user id of the account 0. */
  readonly firstId: number;
  /** Of the administrator `root`, and of customers by their names. */
  readonly tokens: Record<string, string> = {};

  private constructor(address: string, firstId: number) {
    super();
    this.address = address;
    this.firstId = firstId;
  }

  static async install(store: SharedStore, address: string, firstId: number): Promise<FleetNode> {
    const node = new FleetNode(address, firstId);
    await node.boot();
    await node.connect();
    await install(node, PACKAGE);
    await node.run('rm -f /etc/nginx/sites-enabled/default');
    await node.run(`mkdir ${UNIT} && cat >${UNIT}/workers.conf`, '[Service]\nEnvironment=HOSTKEEP_WORKERS=2\n');
    await node.configure();
    // a broker that was asked for something already keeps its range of user ids until it is restarted
    const restart = 'systemctl try-restart hostkeep-broker && systemctl restart hostkeep';
    await node.run(`systemctl enable --now nginx && systemctl daemon-reload && ${restart}`);
    await node.run('cat >/etc/hostkeep/store-ca.pem', store.authority);
    await node.run('umask 077 && cat >/etc/hostkeep/store-password', STORE_PASSWORD);
    return node;
  }

  /** Connects it to the network, until it stops. */
  async connect(): Promise<void> {
    const port = `to-${this.address.split('.').at(-1)}`;
    ip('link', 'add', port, 'type', 'veth', 'peer', 'name', CARD, 'netns', this.leader);
    ip('link', 'set', port, 'master', BRIDGE, 'up');
    await this.run(`ip address add ${this.address}/24 dev ${CARD} && ip link set ${CARD} up`);
  }

  /** Writes its settings; without a URL its store is its own. */
  async configure(url = ''): Promise<void> {
    const settings = {
      broker: { socket: '/run/hostkeep/broker.sock' },
      webserver: { driver: 'nginx' },
      ids: { first: this.firstId },
      ...(url !== '' && { store: { url, password_file: '/etc/hostkeep/store-password' } }),
    };
    await this.run('cat >/etc/hostkeep/hostkeep.json', JSON.stringify(settings));
  }

  /** What commands take that put the node into a fleet. */
  placeAs(name: string): string {
    return `--name ${name} --listen ${this.address}:${FLEET_PORT}`;
  }

  serves(): Promise<void> {
    return until('it serves', async () => (await this.ask(`${ADMIN}/readyz`)).status === 200);
  }

  /** Asks as the administrator. */
  manage(path: string, method = 'GET', body?: unknown) {
    return this.ask(`${ADMIN}${path}`, {
      token: this.tokens['root'] ?? '',
      method,
      ...(body !== undefined && { body }),
    });
  }

  /** Asks as a customer. */
  as(username: string, path: string, body?: unknown) {
    return this.ask(`${USER}${path}`, { token: this.tokens[username] ?? '', ...(body !== undefined && { body }) });
  }

  /** Resolves with the page that its web server has for a name. */
  async site(name: string): Promise<string> {
    return (await this.try(`curl -s -m 5 -H 'Host: ${name}' http://${this.address}/`)).output.trim();
  }

  /** Where the files of an account are, as seen from here. */
  filesOf(username: string): string {
    return join(this.root, 'srv/hostkeep', username);
  }

  /** The end of its log, for the message of a failure. */
  log(): Promise<string> {
    return this.run('journalctl -u "hostkeep*" -n 40 -o cat --no-pager');
  }

  async findings(): Promise<(Finding & { readonly plugin: string })[]> {
    return JSON.parse((await this.try('hostkeep doctor --json')).output) as (Finding & { plugin: string })[];
  }

  async refuses(command: string, reason: RegExp, input = ''): Promise<void> {
    const { code, output } = await this.try(command, input);
    assert.is.not(code, 0, output);
    assert.match(output, reason);
  }
}
