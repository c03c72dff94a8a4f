/** A server of PostgreSQL that asks customers for their passwords, as in production, and clients of it. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from './assert.ts';
import { atEnd } from './ending.ts';
import type { TestServer } from './hostkeep.ts';
import { Postgres } from './postgres.ts';

export const LIST = '/api/postgresql/databases';

interface As {
  readonly name: string;
  readonly password: string;
}

export class CustomersServer {
  readonly #server: Postgres;

  private constructor(server: Postgres) {
    this.#server = server;
  }

  /** Starts one until the suite or the test ends. */
  static async start(): Promise<CustomersServer> {
    const server = new CustomersServer(Postgres.start(['fsync=off', 'max_connections=60']));
    atEnd(() => server.#server.remove());
    const rules = join(server.folder, 'data', 'pg_hba.conf');
    writeFileSync(rules, `local all +hostkeep-users scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    await server.sql('select pg_reload_conf(); revoke connect on database postgres, template1 from public');
    return server;
  }

  get folder(): string {
    return this.#server.folder;
  }

  /** Settings of the plugin by which accounts are there. */
  get settings() {
    return {
      servers: { main: { host: '', port: 5432, socket: this.folder, user: 'postgres', password: '' } },
      default_server: 'main',
    };
  }

  get postgres(): Postgres {
    return this.#server;
  }

  /** Runs statements as the superuser, and resolves with their output, a row a line. */
  sql(text: string, database = 'postgres'): Promise<string> {
    return this.as({ name: 'postgres', password: '' }, text, database);
  }

  as({ name, password }: As, text: string, database: string): Promise<string> {
    const args = [
      '-X',
      '-q',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
      '-h',
      this.folder,
      '-U',
      name,
      '-d',
      database,
      '-f',
      '-',
    ];
    const env = { PATH: process.env['PATH'] ?? '', PGPASSWORD: password, PGOPTIONS: '-c client_min_messages=warning' };
    return new Promise((resolve, reject) => {
      const client = execFile('psql', args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout.trim()) : reject(new Error(stderr, { cause: error })),
      );
      client.stdin?.on('error', () => undefined).end(text); // the client ends early where the server does, and its end says why
    });
  }
}

type Token = Pick<Awaited<ReturnType<TestServer['user']>>, 'token'>;

/** Makes a database of an account, through the API. */
export async function makeDatabase(server: TestServer, { token }: Token, name: string): Promise<void> {
  const { status } = await server.ask(LIST, { token, method: 'POST', body: { name } });
  assert.is(status, 201);
}

/** Drops an account's databases, and makes an empty one. */
export async function startOver(server: TestServer, { token }: Token, name: string): Promise<void> {
  const { body } = await server.ask<{ databases: { name: string }[] }>(LIST, { token });
  for (const each of body.databases) await server.ask(`${LIST}/${each.name}`, { token, method: 'DELETE' });
  await makeDatabase(server, { token }, name);
}
