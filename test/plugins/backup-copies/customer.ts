/** An account whose backups are copied and fetched in tests, and the server that does so. */
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { FIRST_ID } from '../../support/broker.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { eventually } from '../../support/until.ts';

type Body = Readonly<Record<string, unknown>>;
export const hasPrograms = existsSync('/usr/bin/restic') && existsSync('/usr/bin/rclone');
export const ACCOUNTS = '/api/backup-copies/accounts';

export const start = async (data: string, copies: object): Promise<TestServer> =>
  TestServer.start({
    data,
    config: {
      ids: { first: FIRST_ID, count: 1000 },
      backups: { reserve_mib: 0 },
      'backup-copies': { timeout_seconds: 10, check_seconds: 1, ...copies },
    },
  });

/** An account with a file, and what is asked for it by itself and by an administrator. */
export class Customer {
  readonly server: TestServer;
  readonly id: number;
  readonly #username: string;
  readonly #files: string;
  readonly #tokens: { readonly own: string; readonly admin: string };

  private constructor(server: TestServer, username: string, files: string, tokens: Customer['tokens'], id: number) {
    [this.server, this.#username, this.#files, this.#tokens, this.id] = [server, username, files, tokens, id];
  }

  get tokens() {
    return this.#tokens;
  }

  static async make(server: TestServer, username: string, admin: string): Promise<Customer> {
    const { account, token } = await server.user(username);
    mkdirSync(account.filesRoot, { recursive: true });
    chownSync(account.filesRoot, FIRST_ID + account.id, FIRST_ID + account.id);
    const customer = new Customer(server, username, account.filesRoot, { own: token, admin }, account.id);
    customer.write('page.html', 'a page');
    return customer;
  }

  /** The same on a server that has its store. */
  on(server: TestServer): Customer {
    return new Customer(server, this.#username, this.#files, this.#tokens, this.id);
  }

  write(name: string, content: string | Buffer): void {
    writeFileSync(join(this.#files, name), content);
    chownSync(join(this.#files, name), FIRST_ID + this.id, FIRST_ID + this.id);
  }

  async own<T = Body>(path: string, method = 'GET') {
    return (await this.server.ask<T>(path, { method, token: this.#tokens.own })).body;
  }

  async asked(method: string, path: string, body?: Body) {
    const how = { method, token: this.#tokens.admin, address: 'admin', ...(body && { body }) } as const;
    return this.server.ask<Body>(`${ACCOUNTS}/${this.#username}/${path}`, how);
  }

  /** Makes a backup, and resolves with its id. */
  async backedUp(): Promise<string> {
    const { id } = await this.own('/api/backups', 'POST');
    const read = () => this.own(`/api/backup-tasks/${String(id)}`);
    const { state, detail } = await eventually('the backup has ended', read, (task) => task['state'] !== 'running');
    assert.equal([state, detail], ['done', null]);
    return String((await this.backups())[0]?.['id']);
  }

  async backups(): Promise<readonly Body[]> {
    return (await this.own<{ backups: Body[] }>('/api/backups')).backups;
  }

  /** Resolves with what became of work that an administrator begins, in its turn: copies are also made by themselves. */
  done(path: 'copy' | 'fetch', body?: Body): Promise<Body> {
    const run = async () => {
      const begun = await this.asked('POST', path, body);
      assert.is(begun.status, 202, JSON.stringify(begun.body));
      const read = async () => (await this.asked('GET', `tasks/${String(begun.body['id'])}`)).body;
      return eventually('the task has ended', read, ({ state }) => state !== 'running');
    };
    return eventually('no other work is on the copy', run, ({ error }) => error !== 'copies_busy');
  }

  async copied(): Promise<Body> {
    const newest = String((await this.backups())[0]?.['created_at']);
    return eventually(
      'the backups were copied',
      () => this.own('/api/backup-copy'),
      (copy) => copy['newest_at'] === newest,
    );
  }

  async activity(): Promise<string> {
    return (await this.server.hostkeep.core.events.page(this.id, '', 0, 50)).lines.join('\n');
  }

  async stored(): Promise<readonly Body[]> {
    const how = { token: this.#tokens.admin, address: 'admin' } as const;
    const { body } = await this.server.ask<{ stored: Body[] }>('/api/backup-copies/stored', how);
    return body.stored.filter(({ username }) => username === this.#username);
  }
}

/** Has the machine lose the backups of an account, and what it knows of them and their copy. */
export async function lose({ server, id }: Customer): Promise<void> {
  rmSync(join(server.data, 'backups', String(id)), { recursive: true });
  for (const table of ['backups', 'backup_copies'])
    await server.hostkeep.core.local.write((tx) => tx.run(`delete from ${table} where account_id = ?`, id));
}
