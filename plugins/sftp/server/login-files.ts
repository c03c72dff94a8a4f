import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../kernel/kit/files/atomic-file.ts';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import { publicKeyFile } from '../public-key.ts';
import { LOGIN } from './login-entry.ts';

/** A line of the file of logins. */
export interface LoginLine {
  readonly name: string;
  readonly secret: string | null;
  readonly uid: number;
  readonly accountId: number;
  /** See `loginDigest`. */
  readonly digest: string;
  /** The absolute path of its folder. */
  readonly home: string;
}

const NO_PASSWORD = '*';
const NO_SHELL = '/bin/false';

/**
 * The files that ProFTPD reads at each login: one with a line for each login, in the form of passwd(5), and one with keys for those
 * that have some. Only root reads and writes them.
 */
export class LoginFiles {
  readonly #folder: string;
  readonly logins: string;
  readonly keys: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.logins = join(folder, 'logins');
    this.keys = join(folder, 'keys');
  }

  /** Makes what is missing, and removes keys of logins that there are not, which a kill has left. */
  async prepare(): Promise<void> {
    for (const folder of [this.#folder, this.keys]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
    }
    const lines = await this.read();
    if (lines === undefined) await this.write([]);
    const names = new Set(lines?.map(({ name }) => name));
    for (const file of await readdir(this.keys))
      if (!names.has(file)) await rm(join(this.keys, file), { recursive: true });
  }

  /** Resolves with all lines; `undefined` where there is no such file. */
  async read(): Promise<readonly LoginLine[] | undefined> {
    const text = await readFile(this.logins, 'utf8').catch(undefinedIfMissing);
    return text?.split('\n').flatMap(parseLine);
  }

  /** Replaces all lines. */
  async write(lines: readonly LoginLine[]): Promise<void> {
    const text = lines.map(lineOf).join('');
    await replaceFile(this.logins, text, { mode: 0o600, isExact: true, flush: true });
  }

  /** Resolves with the keys of a login, in the form that ProFTPD reads. */
  async readKeys(name: string): Promise<string> {
    return (await readFile(this.#keysOf(name), 'utf8').catch(undefinedIfMissing)) ?? '';
  }

  async writeKeys(name: string, blobs: readonly string[]): Promise<void> {
    const path = this.#keysOf(name);
    if (blobs.length === 0) await rm(path, { force: true });
    else await replaceFile(path, blobs.map(publicKeyFile).join(''), { mode: 0o600, isExact: true, flush: true });
  }

  #keysOf(name: string): string {
    if (!LOGIN.test(name)) throw new Error('this is no name of a login');
    return join(this.keys, name);
  }
}

function lineOf({ name, secret, uid, accountId, digest, home }: LoginLine): string {
  return `${[name, secret ?? NO_PASSWORD, uid, uid, `${accountId} ${digest}`, home, NO_SHELL].join(':')}\n`;
}

function parseLine(line: string): LoginLine[] {
  const [name = '', secret = '', uid, , about = '', home = ''] = line.split(':');
  const [accountId, digest = ''] = about.split(' ');
  if (!LOGIN.test(name)) return [];
  return [
    {
      name,
      secret: secret === NO_PASSWORD ? null : secret,
      uid: Number(uid),
      accountId: Number(accountId),
      digest,
      home,
    },
  ];
}
