/** A ProFTPD for tests that serves what a server of the tests writes for it, and the clients that talk to it. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from '../../support/ending.ts';
import { endsWithTests } from '../../support/child.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/port.ts';
import { reportSkipped } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const PROGRAMS = ['/usr/sbin/proftpd', '/usr/lib/proftpd/mod_sftp.so', '/usr/bin/sftp', '/usr/bin/sshpass'];

/** Whether ProFTPD and its clients are installed, and may serve accounts. Throws in CI if not. */
export function hasProftpd(): boolean {
  if (process.getuid?.() === 0 && PROGRAMS.every((path) => existsSync(path))) return true;
  reportSkipped(
    'tests with a real ProFTPD; apt-get install -y proftpd-core proftpd-mod-crypto openssh-client sshpass, and run them as root',
  );
  return false;
}

interface Options {
  readonly banMinutes?: number;
  /** How long a client may take to log in. */
  readonly loginSeconds?: number;
}

export class Proftpd {
  readonly port: number;
  readonly ftpsPort: number;
  /** Of FTPS, as PEM files. */
  readonly certificate: string;
  readonly key: string;
  /** Holds the files of accounts as well, which they may pass. */
  readonly folder: string;
  #process: ChildProcess | undefined;

  readonly #banMinutes: number;

  readonly #loginSeconds: number;

  private constructor(
    folder: string,
    [port, ftpsPort]: readonly [number, number],
    { banMinutes, loginSeconds }: Required<Options>,
  ) {
    this.folder = folder;
    this.#loginSeconds = loginSeconds;
    this.#banMinutes = banMinutes;
    this.port = port;
    this.ftpsPort = ftpsPort;
    this.certificate = join(folder, 'ftps.pem');
    this.key = join(folder, 'ftps.key');
  }

  /** Chooses its places; it does not run yet. Bans, which all of its clients here would share, are off unless asked for. */
  static async prepare({ banMinutes = 0, loginSeconds = 60 }: Options = {}): Promise<Proftpd> {
    const folder = temporaryFolder();
    chmodSync(folder, 0o711);
    mkdirSync(join(folder, 'sftp'), { mode: 0o700 });
    return new Proftpd(folder, [await freePort(), await freePort()], { banMinutes, loginSeconds });
  }

  /** Settings with which a server writes for it. */
  get config(): Record<string, unknown> {
    return {
      files_root: join(this.folder, 'files/{username}'),
      sftp: {
        folder: join(this.folder, 'sftp'),
        pid_file: join(this.folder, 'proftpd.pid'),
        scoreboard: join(this.folder, 'scoreboard'),
        address: '127.0.0.1',
        port: this.port,
        attempts: 1,
        login_seconds: this.#loginSeconds,
        ban_minutes: this.#banMinutes,
        ftps: { port: this.ftpsPort, certificate: this.certificate, key: this.key },
      },
    };
  }

  async up(): Promise<void> {
    const file = join(this.folder, 'proftpd.conf');
    writeFileSync(
      file,
      `ServerName main\nServerType standalone\nPort 0\nDefaultAddress 127.0.0.1\nUseIPv6 off\nUser nobody\nGroup nogroup\nModulePath /usr/lib/proftpd\n<IfModule mod_delay.c>\nDelayEngine off\n</IfModule>
      TransferLog none\nWtmpLog off\nPidFile ${this.folder}/proftpd.pid\nScoreboardFile ${this.folder}/scoreboard
      SystemLog ${this.folder}/proftpd.log\nInclude ${this.folder}/sftp/*.conf\n`,
    );
    const child = endsWithTests(
      spawn('/usr/sbin/proftpd', ['-n', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] }),
      'SIGTERM',
    );
    let told = '';
    child.stderr?.on('data', (text: Buffer) => (told += text.toString()));
    this.#process = child;
    atEnd(() => this.down());
    await until('a ProFTPD that answers', () => {
      if (child.exitCode !== null) throw new Error(`ProFTPD ended:\n${told}${this.log()}`);
      return this.answers().then((banner) => banner !== '');
    });
  }

  async down(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Resolves with the first bytes that it sends; empty if nothing listens, or nobody is let in. */
  async answers(): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      const closed = once(socket, 'close').then(() => ['']);
      const [bytes] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer | string];
      return bytes.toString('latin1').trim();
    } catch {
      return ''; // nothing listens yet
    } finally {
      socket.destroy();
    }
  }

  log(): string {
    return existsSync(join(this.folder, 'proftpd.log')) ? readFileSync(join(this.folder, 'proftpd.log'), 'utf8') : '';
  }

  /** The arguments of OpenSSH's sftp. */
  client(login: string, { key, batch = '-' }: { readonly key?: string; readonly batch?: string } = {}): string[] {
    const options = {
      BatchMode: 'no',
      StrictHostKeyChecking: 'no',
      UserKnownHostsFile: join(this.folder, 'known_hosts'),
      PreferredAuthentications: key === undefined ? 'password' : 'publickey',
      NumberOfPasswordPrompts: '1',
      IdentitiesOnly: 'yes',
      LogLevel: 'ERROR',
      ConnectTimeout: '20',
    };
    return [
      ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      ...(key === undefined ? [] : ['-i', key]),
      ...['-P', String(this.port), '-b', batch, `${login}@127.0.0.1`],
    ];
  }

  /** Runs commands of OpenSSH's sftp, the first that fails being the last, and resolves with what it printed. */
  run(
    login: string,
    secret: { readonly password?: string; readonly key?: string },
    commands: readonly string[],
  ): Promise<Ran> {
    const batch = join(temporaryFolder(), 'batch');
    writeFileSync(batch, `${commands.join('\n')}\n`);
    const args = this.client(login, { batch, ...(secret.key !== undefined && { key: secret.key }) });
    const [program = '', ...rest] = secret.key === undefined ? ['sshpass', '-e', 'sftp', ...args] : ['sftp', ...args];
    const env = { ...process.env, ...(secret.password !== undefined && { SSHPASS: secret.password }) };
    return new Promise((resolve) => {
      execFile(program, rest, { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ isOk: error === null, output: stdout + stderr }),
      );
    });
  }
}

export interface Ran {
  readonly isOk: boolean;
  readonly output: string;
}
