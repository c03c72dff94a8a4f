import { open, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Leaving, MovedAccount, MoveLink } from '../../kernel/contract/points/move-part.ts';
import type { KeptBackups } from '../../kernel/areas/backups/account-backups.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { undefinedIfMissing } from '../../kernel/kit/files/if-missing.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import { listObjects, objectPath } from '../../kernel/kit/restic/objects.ts';
import { KINDS } from '../../kernel/kit/restic/questions.ts';
import { refused } from './errors.ts';
import type { MoverParts } from './parts.ts';
import { OBJECT, objectText, readMissing, readObject, type Requests } from './wire.ts';

/** How soon it is looked again whether other work on the backups has ended. */
const LOOK_MS = 1000;
const CHUNK_BYTES = 1 << 20;

/** One run at the old home that takes the backups of an account to another node. */
export class LeavingBackups implements Leaving {
  readonly #parts: MoverParts;
  readonly #account: MovedAccount;
  readonly #link: MoveLink;
  /** Size of the repository; `undefined` without backups. */
  #bytes: number | undefined;
  /** The backups that the new home has. */
  #sent = '';
  #release: () => void = () => undefined;

  constructor(parts: MoverParts, account: MovedAccount, link: MoveLink) {
    this.#parts = parts;
    this.#account = account;
    this.#link = link;
  }

  async begin(): Promise<void> {
    const { backups } = this.#parts;
    if (!(await backups.newest()).has(this.#account.id)) return;
    const kept = await backups.kept(await this.#found());
    if (kept === undefined)
      throw refused(
        'the repository of its backups is gone or damaged: bring it back, or have a backup made, which tells',
      );
    await this.#ask('meet', { bytes: kept.sizeBytes });
    this.#bytes = kept.sizeBytes;
  }

  /** Nobody adds or removes backups from the end of this on; what takes long is done before. */
  async copy(): Promise<void> {
    if (this.#bytes === undefined) await this.begin(); // the first backup may have been made meanwhile
    if (this.#bytes === undefined) return;
    const { backups } = this.#parts;
    this.#link.say(`copying backups, ${formatSize(this.#bytes)}`);
    const folder = backups.at(this.#account);
    await this.#send(folder, true);
    const kept = await this.#hold();
    await this.#send(folder, false);
    await this.#ask('adopt', { backups: kept.backups });
    this.#sent = await this.#picture(kept.backups);
  }

  /** Notes that the repository here may go once the account has gone; `Mover.reopen` takes that back. */
  async close(): Promise<void> {
    if (this.#bytes === undefined) return;
    await writeFile(this.#parts.backups.at(this.#account, 'leaving'), '', { mode: 0o600, flush: true });
  }

  async assertClosed(): Promise<void> {
    if (this.#bytes === undefined) {
      if ((await this.#parts.backups.newest()).has(this.#account.id)) throw changed();
      return;
    }
    const kept = await this.#parts.backups.kept(await this.#found());
    if ((await this.#picture(kept?.backups ?? [])) !== this.#sent) throw changed();
  }

  async end(): Promise<void> {
    this.#release();
  }

  /** Returns what is the same for the same backups. */
  async #picture(backups: KeptBackups['backups']): Promise<string> {
    const objects = await namesIn(this.#parts.backups.at(this.#account));
    return JSON.stringify([objects.toSorted(), backups]);
  }

  /** Sends what the new home lacks. With `mayGo`, objects may be removed meanwhile. */
  async #send(folder: string, mayGo: boolean): Promise<void> {
    const objects = await namesIn(folder);
    const missing = readMissing(await this.#ask('compare', { objects }));
    for (const name of objects.filter((each) => missing.has(each))) {
      const file = await open(objectPath(folder, readObject(name))).catch(undefinedIfMissing);
      if (file === undefined && mayGo) continue;
      if (file === undefined) throw changed();
      try {
        const content = file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
        await this.#link.ask({ name: OBJECT, about: name }, content as AsyncIterable<Buffer>);
      } finally {
        await file.close();
      }
    }
  }

  /** Resolves with the backups once others are kept from them, until the end of this run. */
  async #hold(): Promise<KeptBackups> {
    for (let isTold = false; ; await delay(LOOK_MS, undefined, { signal: this.#link.signal }))
      try {
        return await this.#taken(await this.#found());
      } catch (error) {
        if (!(error instanceof HttpError) || error.code !== 'backups_busy') throw error;
        if (!isTold) this.#link.say('waiting for other work on the backups to end');
        isTold = true;
      }
  }

  #taken(account: Account): Promise<KeptBackups> {
    return new Promise((resolve, reject) => {
      const hold = (kept: KeptBackups) =>
        new Promise<void>((release) => {
          this.#release = release;
          resolve(kept);
        });
      this.#parts.backups.withRepository(account, this.#link.signal, hold).then(() => reject(changed()), reject);
    });
  }

  async #found(): Promise<Account> {
    return this.#parts.accounts.get(this.#account.username);
  }

  #ask<N extends keyof Requests>(name: N, asked: Requests[N]): Promise<unknown> {
    return this.#link.ask({ name }, JSON.stringify(asked));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names = [objectText({ kind: 'config', name: '' })];
  for (const kind of KINDS.filter((each) => each !== 'config'))
    for (const { name } of await listObjects(folder, kind)) names.push(objectText({ kind, name }));
  return names;
}

const changed = (): HttpError => refused('its backups changed meanwhile: move it again');
