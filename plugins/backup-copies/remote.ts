import { Readable } from 'node:stream';
import { runProgram, type RunOptions } from '../../kernel/kit/programs/run-program.ts';
import { escapeControl } from '../../kernel/log.ts';
import { AGAIN, fail } from './errors.ts';
import type { BackupCopiesConfig, StoredCopy } from './schema.ts';

interface Settings extends BackupCopiesConfig {
  /** The name of this node in its fleet, whose copies have a folder of their own; empty for a node by itself. */
  readonly node: string;
}

/** For an answer, and for the contents of a repository. */
const ANSWER_MS = 60_000;
const TRANSFER_MS = 24 * 3_600_000;
const MEMORY_BYTES = 2 ** 30;
/** Larger than any object that restic makes: its packs have at most 128 MiB. */
const OBJECT_BYTES = 2 ** 30;
/** One manifest, or a list of them. */
const TEXT_BYTES = 64 << 20;
const COMPLAINT_CHARACTERS = 300;
/** rclone's exit code for a folder that is not there. */
const MISSING = 3;
const [REPOSITORIES, MANIFESTS] = ['repositories', 'manifests'];
/** User name, id of the account, and the beginning of the hash of the repository's config. */
const NAME = /^[a-z0-9_.-]+\.\d+\.[0-9a-f]{16}$/;
/** When it was written: the later one is the greater text. */
const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * The place of the copies, which rclone reaches: `repositories/<name>` has the objects of a repository, `manifests/<name>` what
 * else makes it the backups of an account. Errors: 503 `copies_unavailable`.
 */
export class Remote {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Has the remote answer, in which its folder is made if there is none. */
  async prove(): Promise<void> {
    await this.#run(['mkdir', this.#at()], { timeoutMs: ANSWER_MS });
    await this.#run(['lsf', '--max-depth', '1', this.#at()], { timeoutMs: ANSWER_MS });
  }

  /**
   * Makes a copy what a repository is that nothing changes. What snapshots need is there before them, and goes after them, so that
   * those of the copy are whole all the time.
   */
  async upload(folder: string, name: string, signal: AbortSignal): Promise<void> {
    const to = this.#at(REPOSITORIES, name);
    const how = { signal, timeoutMs: TRANSFER_MS };
    await this.#run(['copy', '--size-only', '--exclude', '/snapshots/**', folder, to], how);
    await this.#run(['sync', '--size-only', '--delete-after', folder, to], how);
  }

  /** Brings a repository, and fails if that is larger than it was; rclone breaks that off between two objects. */
  async download(name: string, folder: string, sizeBytes: number, signal: AbortSignal): Promise<void> {
    const bound = [`--max-transfer=${sizeBytes}B`, '--cutoff-mode=HARD'];
    await this.#run(['copy', ...bound, this.#at(REPOSITORIES, name), folder], { signal, timeoutMs: TRANSFER_MS });
    if ((await this.sizeBytes(folder)) > sizeBytes)
      throw fail.copies_unavailable('the remote has more than was put there', AGAIN);
  }

  /** Resolves with the bytes in a folder of this machine. */
  async sizeBytes(folder: string): Promise<number> {
    const counted = await this.#run(['size', '--json', folder], { timeoutMs: ANSWER_MS });
    return (JSON.parse(counted) as { readonly bytes: number }).bytes;
  }

  /** Puts a manifest beside the one before, which goes then. */
  async writeManifest(name: string, text: string): Promise<void> {
    const stamp = new Date().toISOString();
    const input = Readable.from([text]);
    await this.#run(['rcat', this.#at(MANIFESTS, name, stamp)], { input, timeoutMs: ANSWER_MS });
    await this.#run(['delete', '--exclude', `/${stamp}`, this.#at(MANIFESTS, name)], { timeoutMs: ANSWER_MS });
  }

  /** Resolves with the manifests of a copy, newest first; with none if there is no such copy. */
  async readManifests(name: string): Promise<string[]> {
    if (this.#settings.remote === '' || !NAME.test(name)) return [];
    const listed = await this.#run(['lsf', '--files-only', this.#at(MANIFESTS, name)], { timeoutMs: ANSWER_MS });
    const stamps = listed.split('\n').filter((stamp) => STAMP.test(stamp));
    const texts: string[] = [];
    for (const stamp of stamps.toSorted().toReversed())
      texts.push(await this.#run(['cat', this.#at(MANIFESTS, name, stamp)], { timeoutMs: ANSWER_MS }));
    return texts;
  }

  /** Resolves with all copies, by name. One whose manifest was being replaced when a server died is there twice. */
  async stored(): Promise<StoredCopy[]> {
    if (this.#settings.remote === '') return [];
    const args = ['lsf', '--recursive', '--files-only', '--max-depth', '2', this.#at(MANIFESTS)];
    const lines = (await this.#run(args, { timeoutMs: ANSWER_MS })).split('\n');
    const found = lines
      .map((line) => line.split('/'))
      .filter(([name = '', stamp = '']) => NAME.test(name) && STAMP.test(stamp));
    return found
      .toSorted()
      .map(([name = '', stamp = '']) => ({ name, username: name.split('.').slice(0, -2).join('.'), stored_at: stamp }));
  }

  /** Removes a copy; there may be none. */
  async remove(name: string): Promise<void> {
    for (const folder of [MANIFESTS, REPOSITORIES])
      await this.#run(['purge', this.#at(folder, name)], { timeoutMs: TRANSFER_MS });
  }

  #at(...names: readonly string[]): string {
    const { remote, node } = this.#settings;
    const path = [node, ...names].filter((each) => each !== '').join('/');
    return remote.endsWith(':') ? `${remote}${path}` : `${remote}/${path}`;
  }

  /** Resolves with what rclone prints, which is nothing where a folder is missing. */
  async #run(args: readonly string[], how: RunOptions): Promise<string> {
    if (this.#settings.remote === '') throw fail.copies_unavailable('no place for copies is set');
    const { program, config_file: file, bandwidth_kib: kib, timeout_seconds: seconds } = this.#settings;
    const idle = [
      `--timeout=${seconds}s`,
      `--contimeout=${Math.min(seconds, 60)}s`,
      '--retries=2',
      '--low-level-retries=3', // S3 squares them, and rclone's own 10 take longer than ANSWER_MS
    ];
    const limits = { dataBytes: MEMORY_BYTES, fileBytes: OBJECT_BYTES };
    const all = [
      `--config=${file}`,
      '--log-level=ERROR',
      ...idle,
      ...(kib === 0 ? [] : [`--bwlimit=${kib}K`]),
      ...args,
    ];
    try {
      const { code, endedBy, stdout, stderr } = await runProgram(program, all, {
        ...how,
        limits,
        stdoutBytes: TEXT_BYTES,
      });
      if (code === 0 || (code === MISSING && args[0] !== 'copy')) return stdout;
      const complaint = escapeControl(stderr.trim().slice(0, COMPLAINT_CHARACTERS));
      throw fail.copies_unavailable(`rclone ${args[0]} ended with ${code ?? endedBy}: ${complaint}`, AGAIN);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw fail.copies_unavailable(`${program} is not installed on this server`, { cause: error, ...AGAIN });
    }
  }
}
