import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { TestServer } from '../../support/hostkeep.ts';
import { FIRST_ID } from '../../support/broker.ts';
import { reportSkipped } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';

export type Body = Readonly<Record<string, unknown>>;
/** Settings of a server whose accounts have user ids. */
export const SETTINGS = { ids: { first: FIRST_ID, count: 1000 }, backups: { reserve_mib: 0 } };
export const hasRestic = existsSync('/usr/bin/restic');
if (!hasRestic) reportSkipped('tests of backups; install the program with apt-get install -y restic');

/** An account, and what it asks a server. */
export class BackupClient {
  readonly server: TestServer;
  readonly account: Account;
  readonly token: string;

  private constructor(server: TestServer, account: Account, token: string) {
    this.server = server;
    this.account = account;
    this.token = token;
  }

  static async make(server: TestServer, username: string): Promise<BackupClient> {
    const { account, token } = await server.user(username);
    mkdirSync(account.filesRoot, { recursive: true });
    chownSync(account.filesRoot, FIRST_ID + account.id, FIRST_ID + account.id);
    return new BackupClient(server, account, token);
  }

  /** `path` follows `/api/backups`, or is whole. */
  ask<T = Body>(method: string, path: string, body?: unknown) {
    const { server, token } = this;
    return server.ask<T>(path.startsWith('/api/') ? path : `/api/backups${path}`, {
      method,
      token,
      ...(body !== undefined && { body }),
    });
  }

  /** Resolves with what became of a task. */
  ended(id: unknown): Promise<Body> {
    return eventually(
      'the task has ended',
      async () => (await this.ask('GET', `/api/backup-tasks/${String(id)}`)).body,
      ({ state }) => state !== 'running',
    );
  }

  /** Begins a task, and resolves with what became of it. */
  async done(method: string, path: string, body?: unknown): Promise<Body> {
    const begun = await this.ask(method, path, body);
    assert.is(begun.status, 202, JSON.stringify(begun.body));
    return this.ended(begun.body['id']);
  }

  /** Makes a backup, and resolves with its id. */
  async made(): Promise<string> {
    const { state, error, detail } = await this.done('POST', '');
    assert.equal([state, error, detail], ['done', null, null]);
    return String((await this.list())[0]?.['id']);
  }

  /** Resolves with the snapshots of files and databases: what other plugins add to backups has no name. */
  async snapshots(): Promise<string[]> {
    const sql = "select snapshot from backup_databases where name = ''";
    const others = (await this.server.hostkeep.core.local.all<{ snapshot: string }>(sql)).map(
      ({ snapshot }) => snapshot,
    );
    const all = readdirSync(join(this.server.data, 'backups', String(this.account.id), 'snapshots'));
    return all.filter((name) => !others.includes(name)).toSorted();
  }

  async list(): Promise<readonly Body[]> {
    return (await this.ask<{ backups: Body[] }>('GET', '')).body.backups;
  }
}
