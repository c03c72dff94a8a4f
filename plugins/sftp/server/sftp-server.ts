import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import { replaceFile } from '../../../kernel/kit/files/atomic-file.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { readAccount, readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import { fail } from '../errors.ts';
import { publicKeyFile } from '../public-key.ts';
import { BROKERS, type SftpConfig } from '../schema.ts';
import { readFtpsKey } from './ftps-key.ts';
import { keepHostKey } from './host-key.ts';
import { loginDigest, readLogins, type LoginEntry } from './login-entry.ts';
import { LoginFiles, type LoginLine } from './login-files.ts';
import { LoginLog } from './login-log.ts';
import { MODULES, proftpdConfig, servesFtps, type KeyType } from './proftpd-config.ts';
import { endSessions, findProftpd, reloadProftpd, isOfLogin, readSessions, type SftpSession } from './sessions.ts';
import type { Served, Serving, SftpVerbs } from './sftp-verbs.ts';
import { StoredLog } from './stored-log.ts';

const HOST_KEY = 'host-key';
const CONFIG = 'proftpd.conf';
const TRIED = 'tried';
const ATTEMPTS = 'attempts.log';
const STORED = 'stored.log';
const BANS = 'bans';
const TEST_MS = 20_000;
/** How long sessions are shown without another look. */
const KNOWN_MS = 1000;
const SESSION = /^\d{1,10}:\d{1,20}$/;

/** Keeps the files by which ProFTPD lets customers in, and its sessions in order. */
export class SftpServer implements SftpVerbs {
  readonly #host: PrivilegedHost<SftpConfig>;
  readonly #folder: string;
  readonly #files: LoginFiles;
  readonly #log: LoginLog;
  readonly #stored: StoredLog;
  /** Settles when the last change that was begun has ended. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The sessions that are shown, and until when, on the monotonic clock. */
  #known: Promise<readonly SftpSession[]> = Promise.resolve([]);
  #knownUntil = 0;

  constructor(host: PrivilegedHost<SftpConfig>) {
    this.#host = host;
    this.#folder = host.config.folder || BROKERS;
    this.#files = new LoginFiles(this.#folder);
    this.#log = new LoginLog(join(this.#folder, ATTEMPTS), host.config.login_seconds * 1000);
    this.#stored = new StoredLog(join(this.#folder, STORED));
  }

  async serving(): Promise<Serving> {
    const isRunning = findProftpd(this.#host.config) !== undefined;
    const fingerprint = await keepHostKey(join(this.#folder, HOST_KEY));
    const text = await readFile(join(this.#folder, CONFIG), 'utf8').catch(undefinedIfMissing);
    return { fingerprint, isRunning, hasFtps: text !== undefined && servesFtps(text) };
  }

  tend(): Promise<Served> {
    return this.#inTurn(async () => {
      await this.#files.prepare();
      await keepHostKey(join(this.#folder, HOST_KEY)); // which ProFTPD looks for once it is configured
      const problem = await this.#configure();
      const serving = await this.serving();
      const lines = (await this.#files.read()) ?? [];
      const strangers = (await this.#sessions()).filter((each) => !lines.some(({ name }) => isOfLogin(each, name)));
      await endSessions(strangers);
      const mark = await this.#mark();
      const { logins: lastLogins, failures } = await this.#log.recent(mark);
      const stored = await this.#stored.next(mark);
      const names = new Set(lines.map(({ name }) => name)); // not what clients make up, which may be much
      return {
        ...serving,
        problem,
        kept: lines.map(({ accountId, name, digest }) => ({ accountId, name, digest })),
        lastLogins,
        failures: failures.filter(({ login }) => names.has(login)),
        stored: stored.filter(({ login }) => names.has(login)),
      };
    });
  }

  put(request: unknown): Promise<string[]> {
    const given = readMembers(request, ['account', 'logins']);
    const account = readAccount(given.account);
    const logins = readLogins(given.logins, account);
    return this.#inTurn(async () => {
      await this.#files.prepare();
      const { uid } = await filesOwner(this.#host, account, fail.sftp_failed);
      const lines: LoginLine[] = [];
      for (const login of logins)
        if (await this.#isOwn(account, login.folder, uid)) lines.push(this.#lineOf(account, login, uid));
      await this.#replace(account.id, lines, new Map(logins.map(({ name, keys }) => [name, keys])));
      return logins.map(({ name }) => name).filter((name) => !lines.some((line) => line.name === name));
    });
  }

  remove(given: unknown): Promise<number> {
    const accountId = readInteger(given, 1, 2 ** 31);
    return this.#inTurn(() => this.#replace(accountId, [], new Map()));
  }

  async sessions(given: unknown): Promise<SftpSession[]> {
    const accountId = readInteger(given, 1, 2 ** 31);
    if (performance.now() > this.#knownUntil) {
      this.#knownUntil = performance.now() + KNOWN_MS;
      this.#known = this.#sessions();
    }
    return this.#ofAccount(await this.#known, accountId);
  }

  async end(request: unknown): Promise<boolean> {
    const given = readMembers(request, ['accountId', 'id']);
    const id = readText(given.id, SESSION);
    const own = await this.#ofAccount(await this.#sessions(), readInteger(given.accountId, 1, 2 ** 31));
    const found = own.filter((session) => session.id === id);
    await endSessions(found);
    this.#knownUntil = 0;
    return found.length > 0;
  }

  /** Sessions whose processes have the user id of the account: only such ones are ever ended for it. */
  async #ofAccount(all: readonly SftpSession[], accountId: number): Promise<SftpSession[]> {
    const lines = ((await this.#files.read()) ?? []).filter((line) => line.accountId === accountId);
    return all.filter((each) => lines.some(({ name, uid }) => each.uid === uid && isOfLogin(each, name)));
  }

  #sessions(): Promise<SftpSession[]> {
    return readSessions(this.#host.config, this.#host.signal);
  }

  /** Replaces the lines of an account, and resolves with how many there were. */
  async #replace(
    accountId: number,
    lines: readonly LoginLine[],
    keys: ReadonlyMap<string, readonly string[]>,
  ): Promise<number> {
    const all = (await this.#files.read()) ?? [];
    const isOthers = (line: LoginLine) => line.accountId !== accountId;
    const [before, others] = [all.filter((line) => !isOthers(line)), all.filter(isOthers)];
    const names = new Set(others.map(({ name }) => name));
    if (lines.some(({ name }) => names.has(name))) throw fail.sftp_failed('another account has a login of this name');
    if (before.length === 0 && lines.length === 0) return 0;
    const narrowed = new Set<string>();
    for (const old of before) if (await this.#isNarrowed(old, lines, keys.get(old.name) ?? [])) narrowed.add(old.name);
    const isGone = ({ name }: LoginLine) => !lines.some((line) => line.name === name);
    for (const { name } of lines) await this.#files.writeKeys(name, keys.get(name) ?? []);
    await this.#files.write([...others, ...lines]);
    for (const { name } of before.filter(isGone)) await this.#files.writeKeys(name, []);
    const sessions = narrowed.size === 0 ? [] : await this.#sessions();
    await endSessions(
      sessions.filter((each) =>
        before.some(({ name, uid }) => narrowed.has(name) && each.uid === uid && isOfLogin(each, name)),
      ),
    );
    return before.length;
  }

  /** Whether somebody may be logged in who could no longer log in, or not there. */
  async #isNarrowed(old: LoginLine, lines: readonly LoginLine[], keys: readonly string[]): Promise<boolean> {
    const line = lines.find(({ name }) => name === old.name);
    if (line === undefined || line.secret !== old.secret || line.home !== old.home) return true;
    const files = keys.map(publicKeyFile).join('');
    const end = '---- END SSH2 PUBLIC KEY ----\n';
    return (await this.#files.readKeys(old.name)).split(end).some((key) => !files.includes(key));
  }

  /** Whether the components lead to a folder of the user id, none being a link. Opens nothing. */
  async #isOwn({ username }: Identified, components: readonly string[], uid: number): Promise<boolean> {
    let { path } = this.#host.rootOf(username);
    try {
      for (const name of components) {
        path = join(path, name);
        const stats = await lstat(path);
        if (!stats.isDirectory() || stats.uid !== uid) return false;
      }
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  #lineOf({ id, username }: Identified, login: LoginEntry, uid: number): LoginLine {
    const { name, secret, folder } = login;
    const home = [this.#host.rootOf(username).path, ...folder].join('/');
    if (/[:\u0000-\u001f\u007f]/.test(home))
      throw fail.sftp_failed('ProFTPD takes no path with a colon: see files_root');
    return { name, secret, uid, accountId: id, digest: loginDigest(login), home };
  }

  /**
   * Has ProFTPD serve by the settings, unless that is so. Resolves with why it goes on as it was, or without FTPS at the first time;
   * `null` if it serves as they say.
   */
  async #configure(): Promise<string | null> {
    if (!existsSync(join(MODULES, 'mod_sftp.so'))) return null;
    const { config } = this.#host;
    const path = join(this.#folder, CONFIG);
    const before = await readFile(path, 'utf8').catch(undefinedIfMissing);
    let ftps: KeyType | undefined;
    let problem: string | null = null;
    try {
      if (config.ftps.port !== 0) ftps = await readFtpsKey(config);
    } catch (error) {
      problem = errorMessage(error);
    }
    if (problem !== null && before !== undefined) return problem;
    const at = (name: string) => join(this.#folder, name);
    const places = {
      ...{ logins: this.#files.logins, keys: this.#files.keys, hostKey: at(HOST_KEY), attempts: at(ATTEMPTS) },
      ...{ stored: at(STORED), bans: at(BANS), mark: await this.#mark() },
    };
    const text = proftpdConfig(config, places, ftps);
    if (text === before) return problem;
    // A trial of bans would leave their list in shared memory.
    const refused = await this.#refusal(proftpdConfig({ ...config, ban_minutes: 0 }, places, ftps));
    if (refused !== undefined) return refused;
    const write = (content: string) => replaceFile(path, content, { mode: 0o600, isExact: true, flush: true });
    await write(text);
    await reloadProftpd(config, this.#host.signal).catch(async (error: unknown) => {
      await write(before ?? ''); // so that the next turn tries again
      throw error;
    });
    return problem;
  }

  /**
   * Resolves with what ProFTPD, which ends when it is given an unusable configuration, says against one. It only warns of one that
   * another includes.
   */
  async #refusal(config: string): Promise<string | undefined> {
    const tried = join(this.#folder, TRIED);
    // Without an address ProFTPD looks for that of this system's name, and may crash where there is none.
    const text = `DefaultAddress 127.0.0.1\nPort 0\nModulePath ${MODULES}\n${config}`;
    await replaceFile(tried, text, { mode: 0o600, isExact: true, flush: false });
    const { code, stdout, stderr } = await runProgram('proftpd', ['--configtest', '--config', tried], {
      signal: this.#host.signal,
      timeoutMs: TEST_MS,
    });
    return code === 0 ? undefined : `proftpd --configtest: ${`${stdout}${stderr}`.trim() || `exit code ${code}`}`;
  }

  /** A secret that stays the same. */
  async #mark(): Promise<string> {
    const key = await readFile(join(this.#folder, HOST_KEY));
    return createHash('sha256').update('attempts').update(key).digest('hex').slice(0, 32);
  }

  /** Runs what reads and writes the files one after another. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined); // its caller gets the failure
    return turn;
  }
}
