import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { assertRoom } from '../../kernel/areas/moves/arriving-files.ts';
import type { Arrival, MovedAccount } from '../../kernel/contract/points/move-part.ts';
import { isThere } from '../../kernel/kit/files/if-missing.ts';
import { listObjects, objectPath, syncEntry } from '../../kernel/kit/restic/objects.ts';
import { KINDS, OBJECT_BYTES } from '../../kernel/kit/restic/questions.ts';
import { readJson } from '../../kernel/kit/verb-arguments.ts';
import { boundedBytes } from '../../kernel/kit/waiting/byte-streams.ts';
import { fail, refused } from './errors.ts';
import type { MoverParts } from './parts.ts';
import { OBJECT, objectText, readObject, READERS, type Requests } from './wire.ts';

/**
 * The backups of one account that come to this node. They gather in a folder of their own; as long as that is there, so much tells that
 * the backups of the account here are those of a move, which may be discarded.
 */
export class Arriving {
  readonly #parts: MoverParts;
  readonly #account: MovedAccount;
  readonly #folder: string;

  constructor(parts: MoverParts, account: MovedAccount) {
    this.#parts = parts;
    this.#account = account;
    this.#folder = parts.backups.at(account, 'arriving');
  }

  async answer({ name, about = '', body, signal }: Arrival): Promise<unknown> {
    if (name === 'meet') return this.#meet(READERS.meet(await readJson(body)));
    if (!(await isThere(this.#folder))) throw refused('its backups are not expected here');
    if (name === 'compare') return this.#compare(READERS.compare(await readJson(body)));
    if (name === OBJECT) return this.#take(about, body);
    if (name === 'adopt') return this.#adopt(READERS.adopt(await readJson(body)), signal);
    throw fail.not_found('there is no such request between nodes');
  }

  async #meet({ bytes }: Requests['meet']): Promise<null> {
    const { backups } = this.#parts;
    await backups.assertAvailable();
    await rm(this.#folder, { recursive: true, force: true }); // of a move that is over: what came of this one was discarded
    const place = backups.at(this.#account);
    if (await isThere(place))
      throw refused(`there are backups of it in ${place} already, and nothing is overwritten: move them away`);
    await assertRoom(dirname(place), bytes, 'its backups');
    await mkdir(this.#repository, { recursive: true, mode: 0o700 });
    return null;
  }

  async #compare({ objects }: Requests['compare']): Promise<{ readonly missing: readonly string[] }> {
    const wanted = new Set(objects);
    for (const kind of KINDS.filter((each) => each !== 'config'))
      for (const { name } of await listObjects(this.#repository, kind)) {
        const object = { kind, name };
        if (!wanted.delete(objectText(object))) await rm(objectPath(this.#repository, object), { force: true });
      }
    if (await isThere(join(this.#repository, 'config'))) wanted.delete('config');
    return { missing: [...wanted] };
  }

  async #take(about: string, body: Readable): Promise<null> {
    const object = readObject(about);
    await assertRoom(this.#folder, 0, 'its backups');
    const path = objectPath(this.#repository, object);
    const incomplete = join(this.#folder, 'incomplete');
    const hash = createHash('sha256');
    const content = boundedBytes(body, OBJECT_BYTES, () => refused('an object of its backups is too large'));
    const file = await open(incomplete, 'w', 0o600);
    try {
      for await (const chunk of content) {
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    // that of the config is proved by its key
    if (object.kind !== 'config' && hash.digest('hex') !== object.name)
      throw refused('an object of its backups does not have the content that its name says');
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(incomplete, path);
    await syncEntry(path);
    return null;
  }

  /** The old home keeps others from the backups of the account, wherever they are. */
  async #adopt({ backups }: Requests['adopt'], signal: AbortSignal): Promise<null> {
    const { accounts, backups: own } = this.#parts;
    const account = await accounts.get(this.#account.username);
    const adopted = await own.adopt(account, { backups }, { signal, replaces: true, isHeld: true }, (folder) =>
      rename(this.#repository, folder),
    );
    if (adopted < backups.length) throw refused('some of its backups have not come: move it again');
    return null;
  }

  get #repository(): string {
    return join(this.#folder, 'repository');
  }
}
