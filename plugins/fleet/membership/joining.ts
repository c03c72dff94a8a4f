/** How nodes come into a fleet and leave it: everything that they share is sealed in the store. */
import type { CommandContext } from '../../../kernel/contract/command.ts';
import { noNode } from '../../../kernel/areas/fleet-nodes.ts';
import type { Identity } from '../../../kernel/identity/identity.ts';
import type { Keyring } from '../../../kernel/identity/gate/keyring.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import { minorsAhead, VERSION } from '../../../kernel/kit/files/project-dir.ts';
import { certify, digestKey, memberKey, makeAuthority, type Authority } from './certificates.ts';
import { Invitation } from './invitation.ts';
import { shareKeys } from './signing-keys.ts';
import { isDown } from '../state.ts';
import {
  addInvitation,
  addMember,
  forgetFleet,
  isMember,
  members,
  nameTaken,
  readSecret,
  removeMember,
  seenMembers,
  takeInvitation,
  writeSecret,
} from '../store.ts';
import { fail } from '../../../kernel/errors.ts';

/** How a node is to be known. */
export interface Place {
  readonly name: string;
  /** host:port at which the other nodes reach it. */
  readonly address: string;
}

const AUTHORITY = 'authority';
/** A label of a host name; it is part of those in certificates. */
const NODE_NAME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;
/** Who does this, in the log of events. */
export const OPERATOR = { username: '', ip: '' } as const;
/** Of a node that others reach; a host of IPv6 is in brackets. */
const ADDRESS = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):[1-9]\d{0,4}$/i;
const EVERYWHERE = ['0.0.0.0', '[::]'];
const MOST_HOURS = 8760;

/** Makes the first node of a fleet. Resolves with its name, and the number of accounts whose home it has become. */
export async function initiate(context: CommandContext, place: Place): Promise<{ name: string; moved: number }> {
  assertPlace(place);
  assertNoMember(context);
  const { name } = place;
  return context.files.whileStopped(() =>
    context.withStore(
      async ({ store, events, identity }) => {
        const { accounts, keys } = identity;
        const authority = await makeAuthority();
        const own = await certify(authority, name);
        const moved = await store.write(async (tx) => {
          await assertNoFleet(tx, identity, name);
          await addMember(tx, { ...place, keyDigest: digestKey(own.certificate), isDraining: false });
          await writeSecret(tx, AUTHORITY, keys.seal(JSON.stringify(authority), AUTHORITY));
          await shareKeys(tx, keys);
          await accounts.rehome(tx, '', name);
          const text = `made the node ${name} the first one of a fleet`;
          await events.record(tx, { ...OPERATOR, type: 'fleet.begun', text, data: { node: name } });
          return accounts.countAt(tx, name);
        });
        context.nodeFiles.join({ name, ca: authority.certificate, ...own });
        return { name, moved };
      },
      { create: true },
    ),
  );
}

/** Resolves with the token of a new invitation. */
export async function invite(context: CommandContext, hours: number, node: string): Promise<string> {
  if (!(hours > 0 && hours <= MOST_HOURS))
    throw fail.invalid_request(`--hours must be more than 0, and at most ${MOST_HOURS}`);
  if (node !== '') assertName(node);
  return context.withStore(async ({ store, events, identity: { keys } }) => {
    const invitation = Invitation.make();
    const sealed = invitation.seal({ keys: keys.copy(), authority: await readAuthority(store, keys) });
    await store.write(async (tx) => {
      if ((await seenMembers(tx)).some(({ name, heartbeat }) => name === node && heartbeat !== undefined))
        throw nameTaken(node);
      await addInvitation(tx, invitation.id, { sealed, node }, hours);
      const text = node === '' ? 'invited a node to the fleet' : `invited the node ${node} to the fleet`;
      await events.record(tx, { ...OPERATOR, type: 'fleet.invited', text, data: { node: node === '' ? null : node } });
    });
    return invitation.token;
  });
}

/** Makes a node one of the fleet, and resolves with its name. The invitation is used up only if that succeeds. */
export async function join(context: CommandContext, token: string, place: Place): Promise<string> {
  const invitation = Invitation.parse(token);
  assertPlace(place);
  assertNoMember(context);
  const { name } = place;
  const { nodeFiles } = context;
  return context.files.whileStopped(async () => {
    if (await nodeFiles.hasKeysInUse())
      throw new Error('the data folder has the keys of a store with accounts: a node without any joins a fleet');
    await nodeFiles.withStoreAlone(async ({ store, events }) => {
      const joined = await store.write(async (tx) => {
        const found = await takeInvitation(tx, invitation.id);
        if (found === undefined)
          throw new Error('the invitation is unknown, used, or over: `hostkeep fleet invite` makes one');
        if (found.node !== '' && found.node !== name) throw new Error(`the invitation is for a node ${found.node}`);
        const { keys, authority } = invitation.open(found.sealed);
        await assertVersionFits(tx);
        const own = await certify(authority, name);
        await addMember(tx, { ...place, keyDigest: digestKey(own.certificate), isDraining: false });
        const text = `let the node ${name} join the fleet`;
        await events.record(tx, { ...OPERATOR, type: 'fleet.joined', text, data: { node: name } });
        return { keys, membership: { name, ca: authority.certificate, ...own } };
      });
      nodeFiles.join(joined.membership, joined.keys);
    });
    return name;
  });
}

/** Takes this node out of its fleet. */
export async function leave(context: CommandContext): Promise<{ name: string; isLast: boolean }> {
  const { nodeFiles } = context;
  const own = nodeFiles.membership();
  if (own === undefined) throw new Error('this node is in no fleet');
  const { name } = own;
  return context.files.whileStopped(async () => {
    const isLast = await context.withStore(({ store, events, identity: { accounts } }) =>
      store.write(async (tx) => {
        if (!isMember(await members(tx), memberKey(own))) return false; // it was removed, and its name may be another's
        const isAlone = (await members(tx)).every((each) => each.name === name);
        const here = await accounts.countAt(tx, name);
        if (!isAlone && here > 0)
          throw new Error(`${here} accounts live here: move them to other nodes, or remove and purge them`);
        if (isAlone) {
          await accounts.rehome(tx, name, '');
          await forgetFleet(tx);
        }
        await removeMember(tx, name);
        const text = `took the node ${name} out of the fleet`;
        await events.record(tx, { ...OPERATOR, type: 'fleet.left', text, data: { node: name } });
        return isAlone;
      }),
    );
    nodeFiles.leave(isLast);
    return { name, isLast };
  });
}

/** Takes another node out of the fleet, and resolves with the number of accounts whose home is gone with it. */
export async function remove(context: CommandContext, name: string, isForced: boolean): Promise<number> {
  assertSharedStore(context);
  if (context.nodeFiles.membership()?.name === name)
    throw new Error(`this node is ${name}: stop its server and run \`hostkeep fleet leave\``);
  return context.withStore(({ store, events, identity: { accounts } }) =>
    store.write(async (tx) => {
      const node = (await seenMembers(tx)).find((each) => each.name === name);
      if (node === undefined) throw noNode(name);
      if (!isDown(node)) throw new Error(`${name} is running: stop its server and run \`hostkeep fleet leave\` there`);
      const lost = await accounts.countAt(tx, name);
      if (lost > 0 && !isForced)
        throw new Error(`${lost} accounts live on ${name}: with --force what they have there is given up`);
      await removeMember(tx, name);
      const text = `took the node ${name}, which was gone, out of the fleet`;
      await events.record(tx, { ...OPERATOR, type: 'fleet.removed', text, data: { node: name, accounts: lost } });
      return lost;
    }),
  );
}

/** Resolves with what certifies nodes. Rejects if the store belongs to no fleet. */
export async function readAuthority(reader: Reader, keys: Keyring): Promise<Authority> {
  const sealed = await readSecret(reader, AUTHORITY);
  if (sealed === undefined) throw new Error('the store belongs to no fleet: `hostkeep fleet init` makes one');
  return JSON.parse(keys.unseal(sealed, AUTHORITY)) as Authority;
}

/**
 * Rejects if the store belongs to a fleet. One whose only node was never seen, and which has the keys of this node, is made
 * anew: the command that made it may have ended before it wrote its files.
 */
async function assertNoFleet(tx: Tx, { accounts, keys }: Identity, name: string): Promise<void> {
  const [only, ...others] = await seenMembers(tx);
  if (only === undefined) return;
  const sealed = await readSecret(tx, AUTHORITY);
  if (others.length > 0 || only.heartbeat !== undefined || sealed === undefined || !isOwn(keys, sealed))
    throw new Error('the store belongs to a fleet already: join it with a token of `hostkeep fleet invite`');
  await accounts.rehome(tx, only.name, name);
  await removeMember(tx, only.name);
}

function isOwn(keys: Keyring, sealed: string): boolean {
  try {
    keys.unseal(sealed, AUTHORITY);
    return true;
  } catch {
    return false; // sealed with other keys
  }
}

/** A node works together with those one minor version before or after it. */
async function assertVersionFits(tx: Tx): Promise<void> {
  const other = (await seenMembers(tx)).find(
    (node) => !isDown(node) && !(Math.abs(minorsAhead(node.heartbeat?.version ?? '', VERSION)) <= 1),
  );
  if (other !== undefined)
    throw new Error(
      `this is Hostkeep ${VERSION}, and ${other.name} has ${other.heartbeat?.version}: they may be one minor version apart`,
    );
}

/** PostgreSQL is asked for here, because each node has a file of SQLite to itself. */
function assertSharedStore({ config }: CommandContext): void {
  if (config.store.url === '') throw new Error('a fleet shares a store in PostgreSQL: set store.url first');
}

function assertNoMember(context: CommandContext): void {
  assertSharedStore(context);
  const name = context.nodeFiles.membership()?.name;
  if (name !== undefined) throw new Error(`this node is in a fleet already, as ${name}`);
}

function assertName(name: string): void {
  if (!NODE_NAME.test(name))
    throw fail.invalid_request('the name of a node has 1 to 32 characters of a-z, 0-9 and -, as in host names');
}

function assertPlace({ name, address }: Place): void {
  assertName(name);
  const url = `https://${address}`;
  if (!ADDRESS.test(address) || !URL.canParse(url) || EVERYWHERE.includes(new URL(url).hostname))
    throw fail.invalid_request('--listen takes the host:port at which the other nodes reach this one');
}
