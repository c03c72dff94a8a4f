/** Accounts that are removed and come back in tests, and an administrator who does so. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { FIRST_ID } from '../../support/broker.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { reportSkipped } from '../../support/suite.ts';
import { eventually } from '../../support/until.ts';

export const hasRestic = existsSync('/usr/bin/restic');
if (!hasRestic) reportSkipped('tests of removed accounts; install the program with apt-get install -y restic');

export const PATH = '/api/removed-accounts';
export const PASSWORD = 'a new password of it';

interface Task {
  readonly id: string;
  readonly state: string;
  readonly files: number;
  readonly left_out: number;
  readonly error: string | null;
  readonly detail: string | null;
}
export interface Listed {
  readonly name: string;
  readonly username: string;
  readonly plan: string | null;
  readonly removed_at: string;
  /** Null until its purge. */
  readonly gone_at: string | null;
  readonly is_restoring: boolean;
  readonly size_bytes: number;
  readonly backups: readonly { id: string; created_at: string; files: number; size_bytes: number; databases: number }[];
}

export const settings = (removed: object = {}) => ({
  ids: { first: FIRST_ID, count: 1000 },
  backups: { reserve_mib: 0 },
  'removed-accounts': { check_seconds: 1, ...removed },
});
export const start = (removed: object = {}, more: object = {}): Promise<TestServer> =>
  TestServer.start({ config: { ...settings(removed), ...more } });

/** Makes an account with a folder for files. */
export async function customer(server: TestServer, username: string): Promise<Person> {
  const person = await server.user(username);
  const { filesRoot, id } = person.account;
  mkdirSync(join(filesRoot, 'site'), { recursive: true });
  for (const folder of [filesRoot, join(filesRoot, 'site')]) chownSync(folder, FIRST_ID + id, FIRST_ID + id);
  write(person, 'site/index.html', `the page of ${username}`);
  return person;
}

export function write({ account: { filesRoot, id } }: Person, name: string, content: string): void {
  writeFileSync(join(filesRoot, name), content);
  chownSync(join(filesRoot, name), FIRST_ID + id, FIRST_ID + id);
}

/** Returns a file of an account by its name, wherever the account came from. */
export const read = (server: TestServer, username: string, name: string): string =>
  readFileSync(join(server.data, 'files', username, name), 'utf8');

const ended = (path: `/${string}`, person: Pick<Person, 'asks'>) =>
  eventually(
    'the task has ended',
    () => person.asks<Task>(`GET ${path}`, 200),
    ({ state }) => state !== 'running',
  );

/** Makes a backup, and resolves with its id. */
export async function backup(person: Person): Promise<string> {
  const { id } = await person.asks<Task>('POST /api/backups', 202);
  const { state, detail } = await ended(`/api/backup-tasks/${id}`, person);
  assert.equal([state, detail], ['done', null]);
  return (await person.asks<{ backups: { id: string }[] }>('GET /api/backups', 200)).backups[0]?.id ?? '';
}

/** What an administrator asks about removed accounts. */
export class Operator {
  readonly person: Person;

  constructor(person: Person) {
    this.person = person;
  }

  async list(): Promise<readonly Listed[]> {
    return (await this.person.asks<{ accounts: Listed[] }>(`GET ${PATH}`, 200)).accounts;
  }

  /** Removes and purges an account. */
  async purge(username: string): Promise<Record<string, unknown>> {
    const reply = await this.person.asks(`DELETE /api/accounts/${username}?purge=true`, 200);
    assert.is((reply['purge'] as { state: string }).state, 'complete');
    return reply;
  }

  /** Restores an account, and resolves with what became of that. */
  async restore(name: string, chosen: object = {}): Promise<Task> {
    const { id } = await this.begin(name, chosen);
    return ended(`${PATH}/${name}/tasks/${id}`, this.person);
  }

  begin(name: string, chosen: object = {}): Promise<Task> {
    return this.person.asks<Task>(`POST ${PATH}/${name}/restore`, { password: PASSWORD, ...chosen }, 202);
  }
}

/** Returns the folders of repositories. */
export const repositories = (server: TestServer): string[] => readdirSync(join(server.data, 'backups')).toSorted();
