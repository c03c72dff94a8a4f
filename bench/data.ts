/**
 * What customers' work on databases costs: `npm run build && node dist/bench/data.js [MB of the export] [MB of the import] [databases]`. A MariaDB
 * of its own is filled first. Exports and imports go in turn with Debian's programs on the same socket.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { loginTo, MariaDb } from '../test/support/mariadb.ts';
import { ask, send } from './support/ask.ts';
import { median } from './support/load.ts';
import { MemoryWatch } from './support/memory.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor, type Running } from './support/processes.ts';
import { seconds } from './support/seconds.ts';

const [EXPORT_MB, IMPORT_MB] = [Number(process.argv[2] ?? 2048), Number(process.argv[3] ?? 200)];
const DATABASES = Number(process.argv[4] ?? 10_000);
const ACCOUNTS = DATABASES / 20;
const ROUNDS = 3;
const MADE = 15;
const ROW_BYTES = 1000;
const RIGHTS = ['ALTER', 'CREATE', 'DELETE', 'DROP', 'INDEX', 'INSERT', 'SELECT', 'UPDATE'];
const PASSWORD = 'correct horse battery staple';
const NAME = 'customer0';

const folder = temporaryFolder();
const mariaDb = await MariaDb.start();
let server: Running | undefined;

/** Fills a table with texts like those of posts: words of a small vocabulary, which compress to a third. */
const fill = (database: string, megabytes: number) => `
  create or replace database ${database}; use ${database};
  create table posts (id int primary key auto_increment, body text) engine=innodb;
  insert into posts (body) select left(group_concat(conv(floor(rand(a.seq * 64 + b.seq) * 200000), 10, 36) separator ' '), ${ROW_BYTES})
    from seq_1_to_1000 a join seq_1_to_250 b group by a.seq;
  delimiter //
  begin not atomic
    while (select count(*) from posts) < ${Math.round((megabytes * 1e6) / ROW_BYTES)} do
      insert into posts (body) select body from posts limit 100000;
    end while;
  end //`;

/** Runs a program of MariaDB between files. */
async function program(name: string, database: string, files: { input?: string; output?: string }): Promise<void> {
  const args = ['--no-defaults', `--socket=${mariaDb.socket}`, '--user=root', database];
  const stdin = files.input === undefined ? 'ignore' : openSync(files.input, 'r');
  const stdout = files.output === undefined ? 'ignore' : openSync(files.output, 'w');
  const [code] = (await once(spawn(name, args, { stdio: [stdin, stdout, 'inherit'] }), 'exit')) as [number];
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

async function exports(token: string): Promise<void> {
  const memory = new MemoryWatch(server?.child.pid);
  const at = join(folder, 'export');
  const dump = `mariadb-dump --no-defaults --socket=${mariaDb.socket} --user=root ${NAME}_large`;
  const byHand = (command: string) => promisify(execFile)('sh', ['-c', `${dump} ${command} >${at}`]);
  const ours = (format: string) =>
    memory.during(async () => {
      const { body } = await ask(server, `/api/databases/${NAME}_large/export?format=${format}`, token);
      await pipeline(Readable.fromWeb(body as never), createWriteStream(at));
    });
  const ways = {
    'mariadb-dump': () => byHand(''),
    'mariadb-dump | gzip -1': () => byHand('| gzip -1'),
    'mariadb-dump | zstd -1': () => byHand('| zstd -q -1'),
    gzip: () => ours('gzip'),
    zstd: () => ours('zstd'),
  };
  const times = new Map<string, number[]>(Object.keys(ways).map((way) => [way, []]));
  const sizes = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [way, run] of Object.entries(ways)) {
      times.get(way)?.push(await seconds(run));
      sizes.set(way, statSync(at).size);
    }
  const of = (way: string) => median(times.get(way) ?? []);
  for (const way of Object.keys(ways))
    console.log(`  ${EXPORT_MB} MB by ${way}: ${of(way).toFixed(1)} s, ${Math.round((sizes.get(way) ?? 0) / 1e6)} MB;`);
  for (const way of ['gzip', 'zstd']) {
    const [p, z] = [of('mariadb-dump') / of(way), of(`mariadb-dump | ${way} -1`) / of(way)];
    console.log(`    ${way}: ratio ${p.toFixed(2)} (wanted: at least 0.9); with ${way} by hand ${z.toFixed(2)}`);
  }
  console.log(`    memory of the server: ${memory.moreMib.toFixed(0)} MiB more (wanted: at most 16)`);
}

async function imports(token: string): Promise<void> {
  const [plain, ours]: [number[], number[]] = [[], []];
  const at = join(folder, 'import.sql');
  await mariaDb.sql(fill(`${NAME}_small`, IMPORT_MB));
  await program('mariadb-dump', `${NAME}_small`, { output: at });
  const memory = new MemoryWatch(server?.child.pid);
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await seconds(() => program('mariadb', `${NAME}_small`, { input: at })));
    const body = Readable.toWeb(createReadStream(at)) as never;
    ours.push(
      await memory.during(() =>
        seconds(() =>
          ask(server, `/api/databases/${NAME}_small/import`, token, { method: 'POST', duplex: 'half', body }),
        ),
      ),
    );
  }
  const [p, o] = [median(plain), median(ours)];
  console.log(`  import of ${Math.round(statSync(at).size / 1e6)} MB: ${o.toFixed(1)} s, mariadb ${p.toFixed(1)} s;`);
  console.log(`    ratio ${(p / o).toFixed(2)} (wanted: at least 0.9), ${memory.moreMib.toFixed(0)} MiB more memory`);
}

/** A database with a user that may use it, and the same three statements on a connection that is open. */
async function making(token: string): Promise<void> {
  const [ours, hand]: [number[], number[]] = [[], []];
  const client = spawn('mariadb', [...mariaDb.clientArgs('root', ''), '--unbuffered'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for (let i = 0; i < MADE; i += 1) {
    const name = `made${i}`;
    const said = once(client.stdout, 'data');
    hand.push(
      await seconds(async () => {
        client.stdin.write(
          `create database by_hand${i}; create user by_hand${i}@localhost identified by '${PASSWORD}'; ` +
            `grant ${RIGHTS.join()} on by_hand${i}.* to by_hand${i}@localhost; select 'done';\n`,
        );
        await said;
      }),
    );
    ours.push(
      await seconds(async () => {
        const whole = `${NAME}_${name}`;
        await send(server, 'POST', '/api/databases', token, { name });
        await send(server, 'POST', '/api/database-users', token, { name });
        await send(server, 'PUT', `/api/database-users/${whole}/databases/${whole}`, token, { privileges: RIGHTS });
      }),
    );
  }
  client.stdin.end();
  const [o, h] = [median(ours) * 1000, median(hand) * 1000];
  console.log(`  a database with its user: ${o.toFixed(1)} ms, three statements ${h.toFixed(1)} ms;`);
  console.log(`    ratio ${(o / h).toFixed(2)} (wanted: at most 2)`);
}

async function listing(token: string): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 20; i += 1)
    times.push(await seconds(async () => (await ask(server, '/api/databases', token)).text()));
  console.log(
    `  one account's page of ${DATABASES} databases: first ${((times[0] ?? 0) * 1000).toFixed(1)} ms, then ` +
      `${(median(times) * 1000).toFixed(1)} ms (wanted: at most 20)`,
  );
}

try {
  console.log(`Data bench: ${machineText()}`);
  const data = join(folder, 'data');
  const core = await coreOf(data);
  const passwordHash = await core.passwords.hash(PASSWORD);
  for (let i = 0; i < ACCOUNTS; i += 1)
    await core.accounts.create({ username: `customer${i}`, role: 'user', plan: 'developer', passwordHash });
  const each = DATABASES / ACCOUNTS;
  const names = Array.from({ length: DATABASES }, (_, i) => `customer${Math.floor(i / each)}_db${i % each}`);
  await mariaDb.sql(names.map((name) => `create database ${name};`).join('\n'));
  await mariaDb.sql(fill(`${NAME}_large`, EXPORT_MB));
  server = await startHostkeep(data, {
    databases: { servers: { main: loginTo(mariaDb.socket) }, default_server: 'main' },
  });
  const account = await core.accounts.get(NAME);
  const token = await tokenFor(core, account);
  await listing(token);
  await making(token);
  await imports(token);
  await exports(token);
  await core.close();
} finally {
  await server?.stop();
  await mariaDb.remove();
}
process.exit(0);
