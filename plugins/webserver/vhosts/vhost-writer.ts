import { chmod, chown, mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SiteLogs } from '../../../kernel/contract/points/web-server-part.ts';
import { readBoolean, readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Identified, JobUser } from '../../../kernel/kit/jobs/job.ts';
import { groupId, userIds } from '../../../kernel/kit/jobs/system-names.ts';
import { removeLeftovers } from '../../../kernel/kit/files/atomic-file.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { shippedFile, type Driver } from '../drivers.ts';
import { FolderLock, type LockResult } from './folder-lock.ts';
import { readOwnSite, readPem, type OwnSite } from '../rules/tls-rules.ts';
import type { WebserverConfig } from '../schema.ts';
import { readChange, type VhostChange } from './read-change.ts';
import { sharedFiles, siteRenderer, type RenderedSite, type RenderSite } from './template.ts';
import {
  BEACON_FILE,
  CLOSED_PAGE,
  vhostFileName,
  isSecretFile,
  isVhostFile,
  namedSecrets,
  PROOF_FILE,
  SERVER_FILE,
  secretFileName,
  SUSPENDED_PAGE,
  VhostFolder,
} from './vhost-folder.ts';
import { WebServerCommands } from '../web-server-commands.ts';

/** A token to be served, `null` for none; with `isProof` by a virtual host of commands, which the server does not disturb. */
interface VhostReload {
  readonly token: string | null;
  readonly isProof: boolean;
}
interface VhostBatch {
  readonly id: string;
  readonly changes: readonly VhostChange[];
  readonly reload: VhostReload | null;
}

export interface VhostVerbs {
  /** Takes the lock of the folder, see `FolderLock`. */
  acquire(holder: string): Promise<LockResult>;
  release(holder: string): Promise<null>;
  /** Reads the templates again, and writes what virtual hosts share, with the server's own site. */
  prepare(own: OwnSite | null): Promise<null>;
  /** Writes keys with their certificates, before the batch whose sites name them. */
  keep(pems: readonly string[]): Promise<null>;
  /**
   * Writes a batch, and rejects with the web server's message if it does not accept it; nothing is changed then. With `reload`, and
   * where a reload checks as well, it reloads at once: to read a configuration takes seconds where there are many domains. Resolves
   * with whether it has.
   */
  apply(batch: VhostBatch): Promise<boolean>;
  /** Has the web server read the files again, and serve the token if it can. */
  reload(request: VhostReload): Promise<null>;
  /** Keeps the changes of a batch, or undoes them and reloads. */
  settle(batch: { readonly id: string; readonly isKept: boolean }): Promise<null>;
}

interface WriterParts {
  readonly driver: Driver;
  readonly config: WebserverConfig;
  readonly log: Log;
  readonly rootOf: (username: string) => FilesRoot;
  readonly userOf: (account: Identified) => JobUser | null;
}

/** How many files are written at a time: writing waits for the disk, which flushes several together. */
const WRITES = 16;
const LARGEST_BATCH = 100_000;
/** Keys that are written at a time, within what the broker takes. */
export const MOST_KEYS = 50;
/** Batches whose caller does not settle them, because it was killed. */
const UNSETTLED = 16;
const TOKEN = /^[0-9a-f]{16}$/;
/** See `FolderLock`. */
const HOLDER = /^\d{1,10}:\d{1,20} [0-9a-f-]{36}$/;
/** A virtual host that is to be written. */
interface WrittenSite extends RenderedSite {
  readonly file: string;
  readonly account: Identified;
}
/** By file, what was there before. */
type Before = Map<string, string | undefined>;

/** The part of the plugin that has the right to write where the web server reads, and to signal it. */
export class VhostWriter implements VhostVerbs {
  readonly #parts: WriterParts;
  readonly #folder: VhostFolder;
  readonly #commands: WebServerCommands;
  readonly #unsettled = new Map<string, Before>();
  /** Of the templates as they were at the last `prepare`, with which callers compare. */
  #renderer: Promise<RenderSite> | undefined;

  constructor(parts: WriterParts) {
    const { driver, config } = parts;
    this.#parts = parts;
    this.#folder = new VhostFolder(driver.vhostFolder);
    this.#commands = new WebServerCommands(driver, config.command_timeout_ms);
  }

  async acquire(holder: unknown): Promise<LockResult> {
    await this.#folder.make();
    const result = await new FolderLock(this.#folder, readText(holder, HOLDER)).acquire();
    if (result !== 'held-elsewhere') {
      removeLeftovers(this.#folder.path);
      await this.#removeUnused((await this.#folder.names()).filter(isSecretFile));
    }
    return result;
  }

  async release(holder: unknown): Promise<null> {
    await new FolderLock(this.#folder, readText(holder, HOLDER)).release();
    return null;
  }

  async prepare(own: unknown): Promise<null> {
    this.#renderer = undefined;
    await this.#folder.put(SUSPENDED_PAGE, await this.#suspendedPage());
    await this.#folder.put(CLOSED_PAGE, await shippedPage('closed.html'));
    const before = await this.#folder.read(SERVER_FILE);
    for (const [name, content] of await sharedFiles(this.#parts.driver, readOwnSite(own)))
      await this.#folder.put(name, content);
    await this.#removeUnused(namedSecrets(before));
    const { logFiles, user } = this.#parts.driver;
    if (logFiles !== undefined) await makeLogs(logFiles, this.#ownerId(), user);
    return null;
  }

  /** Returns the id of the user as whom the web server reads and writes; `null` for that of this process. */
  #ownerId(): number | null {
    const { user } = this.#parts.driver;
    return user !== '' && process.getuid?.() === 0 ? (userIds(user)?.uid ?? null) : null;
  }

  async keep(pems: unknown): Promise<null> {
    const owner = this.#ownerId();
    for (const pem of readList(pems, MOST_KEYS, readPem))
      await this.#folder.putPrivate(secretFileName(pem, 'pem'), pem, owner);
    return null;
  }

  /** Writes the passwords of a site where only the web server reads them: its workers, by their group, where these do. */
  async #keepUsers({ users, account }: WrittenSite): Promise<void> {
    if (users.size === 0) return;
    const owner = this.#ownerId();
    const isOfWorkers = this.#parts.driver.user === '' && process.getuid?.() === 0;
    const group = isOfWorkers ? (this.#parts.userOf(account)?.webGid ?? null) : null;
    for (const [name, content] of users) await this.#folder.putPrivate(name, content, owner, group);
  }

  async apply(batch: unknown): Promise<boolean> {
    const { id, changes, reload } = readMembers(batch, ['id', 'changes', 'reload']);
    const key = readText(id, TOKEN);
    const files = readList(changes, LARGEST_BATCH, readChange);
    const isReload = reload !== null && this.#parts.driver.reloadChecks;
    const before: Before = new Map();
    try {
      const contents = await this.#contentsOf(files);
      for (const written of contents) if ('users' in written) await this.#keepUsers(written);
      await inSlices(contents, async ({ file, content }) => {
        before.set(file, await this.#folder.read(file));
        await this.#folder.put(file, content);
      });
      await this.#folder.sync();
      await (isReload ? this.reload(reload) : this.#commands.run('check'));
    } catch (error) {
      await this.#restore(before, error);
      if (isReload) this.#commands.signal(); // it may have read what the check was too slow to accept
      throw error;
    }
    if (before.size === 0) return isReload; // only a check
    const all = this.#unsettled.get(key) ?? new Map();
    for (const [file, content] of before) if (!all.has(file)) all.set(file, content);
    this.#unsettled.set(key, all);
    for (const old of [...this.#unsettled.keys()].slice(0, -UNSETTLED)) this.#unsettled.delete(old);
    return isReload;
  }

  async reload(request: unknown): Promise<null> {
    const { token, isProof } = readMembers(request, ['token', 'isProof']);
    const proves = readBoolean(isProof);
    const isShown = token !== null && (proves || this.#parts.driver.awaitsServed);
    await this.#folder.make();
    await this.#folder.put(
      proves ? PROOF_FILE : BEACON_FILE,
      isShown ? this.#parts.driver.beacon(readText(token, TOKEN)) : undefined,
    );
    await this.#commands.reload();
    return null;
  }

  async settle(batch: unknown): Promise<null> {
    const { id, isKept } = readMembers(batch, ['id', 'isKept']);
    const key = readText(id, TOKEN);
    const before = this.#unsettled.get(key);
    this.#unsettled.delete(key);
    if (before === undefined) return null;
    if (readBoolean(isKept)) {
      await this.#removeUnused([...before.values()].flatMap(namedSecrets));
      return null;
    }
    await this.#restore(before, undefined);
    await this.#commands.reload(); // the server may have accepted the change after the time limit
    return null;
  }

  /** Removes those of some keys and passwords that no virtual host names. */
  async #removeUnused(secrets: readonly string[]): Promise<void> {
    const unused = new Set(secrets);
    if (unused.size === 0) return;
    for (const file of [SERVER_FILE, ...(await this.#folder.names()).filter(isVhostFile)])
      for (const used of namedSecrets(await this.#folder.read(file))) unused.delete(used);
    for (const name of unused) await this.#folder.put(name, undefined);
  }

  /** The operator's page for visitors of suspended sites, or the shipped one where that cannot be read. */
  async #suspendedPage(): Promise<string> {
    const { suspended_page: file } = this.#parts.config;
    try {
      if (file !== '') return await readFile(file, 'utf8');
    } catch (error) {
      this.#parts.log.error(
        { err: error },
        'webserver.suspended_page cannot be read; the page of the plugin takes its place',
      );
    }
    return shippedPage('suspended.html');
  }

  async #contentsOf(changes: readonly VhostChange[]): Promise<(WrittenSite | { file: string; content: undefined })[]> {
    const render = await (this.#renderer ??= siteRenderer(this.#parts.driver));
    return changes.map((change) => {
      if ('file' in change) return { file: change.file, content: undefined };
      const { domain, account } = change.site;
      const filesRoot = this.#parts.rootOf(account.username).path;
      return { file: vhostFileName(domain), account, ...render(change.site, filesRoot) };
    });
  }

  async #restore(before: Before, cause: unknown): Promise<void> {
    try {
      const given: string[] = [];
      await inSlices([...before], async ([file, content]) => {
        given.push(...namedSecrets(await this.#folder.read(file)));
        await this.#folder.put(file, content);
      });
      await this.#removeUnused(given);
      await this.#folder.sync();
    } catch (error) {
      const message = 'a change of a virtual host could not be rolled back';
      throw new AggregateError([cause, error], message, { cause: error });
    }
  }
}

/** Resolves with a page of the plugin, which needs no other file to look right. */
async function shippedPage(file: string): Promise<string> {
  const [page, style] = await Promise.all([file, 'page.css'].map((each) => readFile(shippedFile(each), 'utf8')));
  return (page ?? '').replace('{{style}}', () => style ?? '');
}

/**
 * Makes the logs where they are missing, closed to other users, as the web server would open them to all. One with a user of its own
 * rotates them itself: it gets the folder, which the service may enter as one of the group above, and which is left alone then.
 */
async function makeLogs({ access, error }: SiteLogs, owner: number | null, user: string): Promise<void> {
  const folder = dirname(access);
  await mkdir(folder, { recursive: true, mode: 0o751 }); // the workers of nginx open the files again after a rotation
  if (owner !== null && (await stat(folder)).uid === owner) return;
  for (const path of [access, error]) {
    const file = await open(path, 'a', 0o640);
    if (owner !== null) await file.chmod(0o644); // which Caddy gives to the next one
    if (owner !== null) await file.chown(owner, groupId(user));
    await file.close();
  }
  if (owner !== null) await chmod(folder, 0o750);
  if (owner !== null) await chown(folder, owner, (await stat(dirname(folder))).gid);
}

/** Rejects with the first failure once nothing of its slice is still being written. */
async function inSlices<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += WRITES) {
    const results = await Promise.allSettled(items.slice(i, i + WRITES).map(write));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}
