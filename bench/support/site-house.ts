/** A Hostkeep, as root and without a broker, whose customers' sites nginx and PHP-FPM serve. */
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Core } from '../../kernel/run/core.ts';
import { installedVersions } from '../../kernel/kit/programs/php-versions.ts';
import { FIRST_ID } from '../../test/support/broker.ts';
import { Nginx } from '../../test/support/nginx.ts';
import { fetchPage } from '../../test/support/page.ts';
import { send } from './ask.ts';
import { withChildren } from './load.ts';
import { coreOf, startHostkeep, temporaryFolder, tokenFor, type Running } from './processes.ts';

export const [PHP = ''] = await installedVersions();

export interface Customer {
  readonly id: number;
  readonly uid: number;
  readonly domain: string;
  readonly token: string;
  /** The document root of the domain. */
  readonly docroot: string;
}

interface HouseOptions {
  /** Of the plan. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Of `php.idle_seconds`; 0 unless given. */
  readonly idleSeconds?: number;
  /** Makes settings beside those for nginx and PHP. */
  readonly settings?: (nginx: Nginx) => Promise<Record<string, unknown>>;
  /** Fills the store before it is served. */
  readonly fill?: (core: Core, customers: readonly Customer[]) => Promise<void>;
}

export class SiteHouse {
  readonly nginx: Nginx;
  readonly server: Running;
  readonly customers: readonly Customer[];
  /** Holds the sockets and settings of pools. */
  readonly pools: string;
  readonly #close: () => Promise<void>;

  private constructor(parts: Pick<SiteHouse, 'nginx' | 'server' | 'customers' | 'pools'>, close: () => Promise<void>) {
    ({ nginx: this.nginx, server: this.server, customers: this.customers, pools: this.pools } = parts);
    this.#close = close;
  }

  /** Starts one; all its customers have the plan `developer`. */
  static async start(
    customers: number,
    { limits = {}, idleSeconds = 0, settings, fill }: HouseOptions = {},
  ): Promise<SiteHouse> {
    const nginx = await Nginx.start('www-data');
    const [data, run] = [temporaryFolder(), temporaryFolder()];
    chmodSync(run, 0o755);
    const pools = join(run, 'php');
    const config = {
      // long enough that a busy machine has figures, too, and no refusals
      webserver: { ...nginx.settings, command_timeout_ms: 30_000, served_timeout_ms: 20_000 },
      files_root: join(nginx.folder, 'files/{username}'),
      ids: { first: FIRST_ID },
      php: { run_folder: pools, drain_seconds: 0, idle_seconds: idleSeconds },
      ...(await settings?.(nginx)),
    };
    await (await startHostkeep(data, config)).stop(); // its plugins make their tables
    const core = await coreOf(data, config);
    await core.plans.update('developer', { limits });
    const made: Customer[] = [];
    for (let i = 0; i < customers; i += 1) {
      const username = `customer${i}`;
      const account = await core.accounts.create({ username, role: 'user', plan: 'developer', passwordHash: 'x' });
      const [domain, token] = [`${username}.example`, await tokenFor(core, account)];
      const { id, filesRoot } = account;
      made.push({ id, uid: FIRST_ID + id, domain, token, docroot: join(filesRoot, domain) });
    }
    await fill?.(core, made);
    await core.close();
    const server = await startHostkeep(data, config);
    return new SiteHouse({ nginx, server, customers: made, pools }, async () => {
      await server.stop();
      await nginx.remove();
    });
  }

  /** Adds a domain, the first of the customer unless named. */
  async add({ token, domain }: Customer, name = domain): Promise<void> {
    await send(this.server, 'POST', '/api/domains/new', token, { domain_url: name });
  }

  /** Has the first domain of a customer run PHP. */
  async runPhp({ token, domain }: Customer): Promise<void> {
    await send(this.server, 'PUT', `/api/php/sites/${domain}/version`, token, { version: PHP });
  }

  /** Writes a file of the first domain, as the customer. */
  put({ docroot, uid }: Customer, file: string, text: string): void {
    writeFileSync(join(docroot, file), text);
    chownSync(join(docroot, file), uid, uid);
  }

  /** Requests a page of the first domain. Rejects unless it is there. */
  async visit({ domain }: Customer, path = '/'): Promise<void> {
    const { status, body } = await fetchPage(this.nginx.port, domain, path);
    if (status !== 200) throw new Error(`${domain}${path} answered ${status}: ${body}`);
  }

  /** Returns the settings of a customer's pool, and the process ids of its master and what that started. */
  pool({ id }: Customer): { readonly settings: string; readonly pids: readonly number[] } {
    const folder = join(this.pools, String(id));
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.conf'));
    const master = join(folder, file.replace(/conf$/, 'master')); // gone while the pool is asleep
    const pids = existsSync(master) ? withChildren(Number.parseInt(readFileSync(master, 'utf8'), 10)) : [];
    return { settings: readFileSync(join(folder, file), 'utf8'), pids };
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Returns the process ids of a running nginx. */
export const nginxPids = ({ folder }: Nginx): number[] =>
  withChildren(Number(readFileSync(join(folder, 'nginx.pid'), 'utf8')));
