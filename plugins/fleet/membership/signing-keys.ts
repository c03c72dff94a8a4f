import type { Keyring, SigningKey } from '../../../kernel/identity/gate/keyring.ts';
import type { Reader, Store, Tx } from '../../../kernel/store/store.ts';
import { readSecret, writeSecret } from '../store.ts';

const NAME = 'signing keys';

/** The keys by which the nodes of a fleet sign and verify tokens. */
interface SharedKeys {
  /** Newest first. The first signs; all verify. */
  readonly signing: readonly SigningKey[];
  /** Ids of keys that were replaced, by which a node that was away knows that its own are old. */
  readonly retired: readonly string[];
}

/** Makes the keys of the first node those of the fleet. */
export function shareKeys(tx: Tx, keys: Keyring): Promise<void> {
  return write(tx, keys, { signing: keys.signingKeys, retired: [] });
}

/**
 * Takes over the keys of the fleet; if those of this node were rotated since, makes them those of the fleet. Resolves with
 * the id of the key that signs now.
 */
export async function settleKeys(store: Store, keys: Keyring): Promise<string> {
  const shared = await read(store, keys);
  const settled = isNewer(keys, shared) ? await store.write((tx) => publish(tx, keys)) : shared;
  keys.adopt(settled.signing);
  return settled.signing[0]?.kid ?? '';
}

async function publish(tx: Tx, keys: Keyring): Promise<SharedKeys> {
  const shared = await read(tx, keys);
  const [newest] = keys.signingKeys;
  if (newest === undefined || !isNewer(keys, shared)) return shared; // another process has done it meanwhile
  const [last, ...older] = shared.signing;
  const next: SharedKeys = {
    signing: last === undefined ? [newest] : [newest, last],
    retired: [...shared.retired, ...older.map(({ kid }) => kid)],
  };
  await write(tx, keys, next);
  return next;
}

function isNewer(keys: Keyring, { signing, retired }: SharedKeys): boolean {
  const newest = keys.signingKeys[0]?.kid ?? '';
  return !signing.some(({ kid }) => kid === newest) && !retired.includes(newest);
}

async function read(reader: Reader, keys: Keyring): Promise<SharedKeys> {
  const sealed = await readSecret(reader, NAME);
  if (sealed === undefined) throw new Error('the store has no signing keys of the fleet');
  return JSON.parse(keys.unseal(sealed, NAME)) as SharedKeys;
}

const write = (tx: Tx, keys: Keyring, shared: SharedKeys): Promise<void> =>
  writeSecret(tx, NAME, keys.seal(JSON.stringify(shared), NAME));
