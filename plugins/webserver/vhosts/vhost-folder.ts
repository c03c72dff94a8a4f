import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../kernel/kit/files/atomic-file.ts';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';

const PREFIX = 'hostkeep-';
const EXTENSION = '.conf';
/**
 * A longer domain is shortened in its file name: file systems allow 255 bytes, and `replaceFile` adds some to a name.
 */
const LONGEST_PLAIN = 200;

/** Files that are never those of a domain, because a domain contains a dot. */
export const BEACON_FILE = `${PREFIX}beacon${EXTENSION}`;
/** The same for commands, so that they do not disturb a server that reloads at the same time. */
export const PROOF_FILE = `${PREFIX}proof${EXTENSION}`;
/** The site at the server's own name. */
export const SERVER_FILE = `${PREFIX}-server${EXTENSION}`;
/** The page on domains of suspended accounts. The templates name it. */
export const SUSPENDED_PAGE = `${PREFIX}suspended.html`;
/** The page for folders without one. The templates name it. */
export const CLOSED_PAGE = `${PREFIX}closed.html`;
const NOT_OF_DOMAINS = [BEACON_FILE, PROOF_FILE, SERVER_FILE, `${PREFIX}-common${EXTENSION}`];

/** Returns the name of a domain's file: the domain between prefix and extension, with a digest if it is shortened. */
export function vhostFileName(domain: string): string {
  const digest = createHash('sha256').update(domain).digest('hex').slice(0, 32);
  return `${PREFIX}${domain.length <= LONGEST_PLAIN ? domain : `${domain.slice(0, LONGEST_PLAIN - 40)}-${digest}`}${EXTENSION}`;
}

/** The name of the file of a key with its certificates. */
export const PEM_FILE = /^hostkeep-[0-9a-f]{64}\.pem$/;
const SECRET = /^hostkeep-[0-9a-f]{64}\.(?:pem|users)$/;
const SECRETS = /hostkeep-[0-9a-f]{64}\.(?:pem|users)/g;

/** Returns the name of a file of a key with its certificates, or of users: another content has another name. */
export const secretFileName = (content: string, kind: 'pem' | 'users'): string =>
  `${PREFIX}${createHash('sha256').update(content).digest('hex')}.${kind}`;

/** Whether a file has keys, or passwords, that virtual hosts name. */
export const isSecretFile = (name: string): boolean => SECRET.test(name);

/** Returns the files of keys and passwords that a virtual host names. */
export const namedSecrets = (content: string | undefined): string[] => content?.match(SECRETS) ?? [];

/** Whether a file is the virtual host of a domain; all other files in the folder are the operator's. */
export function isVhostFile(name: string): boolean {
  return name.startsWith(PREFIX) && name.endsWith(EXTENSION) && !NOT_OF_DOMAINS.includes(name);
}

/**
 * The folder that the web server includes. Each file is replaced as a whole, so that a power cut leaves the old or the
 * new one.
 */
export class VhostFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async make(): Promise<void> {
    const made = await mkdir(this.path, { recursive: true, mode: 0o755 });
    if (made !== undefined) await chmod(this.path, 0o755); // whatever the umask: the web server's workers read here
  }

  names(): Promise<string[]> {
    return readdir(this.path);
  }

  /** Returns `undefined` for a missing file. */
  async read(name: string): Promise<string | undefined> {
    return readFile(join(this.path, name), 'utf8').catch(undefinedIfMissing);
  }

  /** Milliseconds since 1970; `undefined` for a missing file. */
  async changedAt(name: string): Promise<number | undefined> {
    return (await stat(join(this.path, name)).catch(undefinedIfMissing))?.mtimeMs;
  }

  /**
   * Replaces a file, or removes it if `content` is `undefined`. Everybody may read it, whatever the umask: the service and
   * the web server's workers. Durable only after `sync`.
   */
  async put(name: string, content: string | undefined): Promise<void> {
    if (content === undefined) await rm(join(this.path, name), { force: true });
    else await replaceFile(join(this.path, name), content, { mode: 0o644, isExact: true, flush: true });
  }

  /** Writes a missing file that nobody but its owner may read, this process's user or the one with the given id, and a group if given. */
  async putPrivate(name: string, content: string, owner: number | null, group: number | null = null): Promise<void> {
    const path = join(this.path, name);
    if ((await this.changedAt(name)) === undefined)
      await replaceFile(path, content, { mode: 0o600, isExact: true, flush: true });
    // also of one that is there: who wrote it may have been killed before
    if (owner !== null || group !== null) await chown(path, owner ?? process.getuid?.() ?? 0, group ?? 0);
    if (group !== null) await chmod(path, 0o640);
  }

  async sync(): Promise<void> {
    const folder = await open(this.path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
