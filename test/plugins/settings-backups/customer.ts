import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { FIRST_ID } from '../../support/broker.ts';
import type { Person, TestServer } from '../../support/hostkeep.ts';
import { reportSkipped } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';

export const SETTINGS = { ids: { first: FIRST_ID, count: 1000 }, backups: { reserve_mib: 0 } };
export const hasRestic = existsSync('/usr/bin/restic');
if (!hasRestic) reportSkipped('tests of settings in backups; install the program with apt-get install -y restic');

export interface Task {
  readonly state: string;
  readonly path: string;
  readonly left_out: number;
  readonly error: string | null;
  readonly detail: string | null;
}

/** An account with files, whose repository the test can read and write as restic in a script of the account could. */
export class Customer {
  readonly server: TestServer;
  readonly person: Person;

  private constructor(server: TestServer, person: Person) {
    this.server = server;
    this.person = person;
  }

  static async make(server: TestServer, username: string): Promise<Customer> {
    const person = await server.user(username);
    const { filesRoot, id } = person.account;
    mkdirSync(join(filesRoot, 'site'), { recursive: true });
    for (const folder of [filesRoot, join(filesRoot, 'site')]) chownSync(folder, FIRST_ID + id, FIRST_ID + id);
    return new Customer(server, person);
  }

  /** The same account, in a session of now. */
  static async again(server: TestServer, username: string): Promise<Customer> {
    return new Customer(server, await server.as(await server.hostkeep.core.accounts.get(username)));
  }

  /** Begins a task, and resolves with what became of it. */
  async done(line: `POST /${string}`): Promise<Task> {
    const { id } = await this.person.asks<{ id: string }>(line, 202);
    return this.ended(id);
  }

  ended(id: string): Promise<Task> {
    return eventually(
      'the task has ended',
      () => this.person.asks<Task>(`GET /api/backup-tasks/${id}`, 200),
      ({ state }) => state !== 'running',
    );
  }

  /** Makes a backup, and resolves with its id. */
  async backup(): Promise<string> {
    const { state, error, detail } = await this.done('POST /api/backups');
    assert.equal([state, error, detail], ['done', null, null]);
    const { backups } = await this.person.asks<{ backups: { id: string }[] }>('GET /api/backups', 200);
    return backups[0]?.id ?? '';
  }

  restore(id: string): Promise<Task> {
    return this.done(`POST /api/backups/${id}/settings/restore`);
  }

  /** Resolves with the bytes that a backup has of the settings. */
  async sealed(id: string): Promise<string> {
    const sql = "select snapshot from backup_databases where backup_id = ? and engine = 'settings'";
    const row = await this.server.hostkeep.core.local.get<{ snapshot: string }>(sql, id);
    return this.restic(['dump', row?.snapshot ?? '', '/database.sql']);
  }

  /** Has restic hand out other bytes for the settings of a backup. */
  async forge(id: string, content: string): Promise<void> {
    const folder = join(this.server.data, 'backups', String(this.person.account.id), 'snapshots');
    const before = new Set(readdirSync(folder));
    await this.restic(['backup', '--stdin', '--stdin-filename', 'database.sql'], content);
    const snapshot = readdirSync(folder).find((name) => !before.has(name)) ?? '';
    const sql = "update backup_databases set snapshot = ? where backup_id = ? and engine = 'settings'";
    await this.server.hostkeep.core.local.write((tx) => tx.run(sql, snapshot, id));
  }

  async restic(args: readonly string[], input = ''): Promise<string> {
    const { store, keys } = this.server.hostkeep.core;
    const { id } = this.person.account;
    const row = await store.get<{ sealed: string }>('select sealed from backup_keys where account_id = ?', id);
    const repository = join(this.server.data, 'backups', String(id));
    return execFileSync('restic', ['--no-cache', '--no-lock', '-q', '-r', repository, ...args], {
      env: { ...process.env, RESTIC_PASSWORD: keys.unseal(row?.sealed ?? '', `backups ${id}`) },
      ...{ input, encoding: 'utf8', maxBuffer: 1 << 28 },
    });
  }
}
