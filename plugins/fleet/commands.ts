/** Commands about the nodes of a fleet: add one, remove one, list all. */
import {
  assertChange,
  defineCommands,
  type CommandContext,
  type CommandOutput,
  type OptionValues,
} from '../../kernel/contract/command.ts';
import { textTable } from '../../kernel/kit/format.ts';
import { drain } from './draining.ts';
import { initiate, invite, join, leave, OPERATOR, remove } from './membership/joining.ts';
import { viewMember } from './report.ts';
import { isDown, memberState } from './state.ts';
import { seenMembers } from './store.ts';
import { fail } from '../../kernel/errors.ts';

const NAME = { flags: '--name <name>', summary: 'name of this node in the fleet', isRequired: true } as const;
const LISTEN = {
  flags: '--listen <host:port>',
  summary: 'address at which this node listens for the others, and they reach it',
  isRequired: true,
} as const;

export default defineCommands({
  name: 'fleet',
  summary: 'nodes that share one store',
  commands: [
    {
      usage: 'init',
      summary: 'make this node the first one of a fleet; its store must be in PostgreSQL, and its server stopped',
      options: [NAME, LISTEN],
      run: async (context, _, options) => {
        const { name, moved } = await initiate(context, placeOf(options));
        return {
          value: { name, accounts: moved },
          text: `${name} is the first node of a fleet; accounts that live here: ${moved}; start its server`,
        };
      },
    },
    {
      usage: 'invite',
      summary: 'print a token with which one node can join; it gives away the keys of the fleet',
      options: [
        { flags: '--hours <number>', summary: 'hours until it expires, 24 unless given', isNumber: true },
        { flags: '--name <name>', summary: 'name that the node must have; any unless given' },
      ],
      run: async (context, _, { hours = 24, name = '' }) => {
        const token = await invite(context, Number(hours), String(name));
        return { value: { token, hours }, text: token };
      },
    },
    {
      usage: 'join [token]',
      summary:
        'put this node into a fleet; it must have no accounts, and its server must be stopped. Reads the token from standard input unless it is given',
      options: [NAME, LISTEN],
      run: async (context, [token], options) => {
        const given = token ?? (await context.readInput('The token of the invitation'));
        const name = await join(context, given, placeOf(options));
        return { value: { name }, text: `${name} has joined the fleet; start its server` };
      },
    },
    { usage: 'list', summary: 'list the nodes', run: list },
    {
      usage: 'drain <name>',
      summary: 'give a node no new accounts',
      options: [{ flags: '--undo', summary: 'give it new accounts again' }],
      run: drainNode,
    },
    {
      usage: 'leave',
      summary: 'take this node out of the fleet; no account may live here, and its server must be stopped',
      asks: () => 'Take this node out of the fleet, and remove the keys of the fleet from its data folder?',
      run: async (context) => {
        const { name, isLast } = await leave(context);
        const rest = isLast
          ? 'it was the last one, and is a node by itself now'
          : 'give it a store of its own (store.url) before its server starts again';
        return { value: { name, last: isLast }, text: `${name} has left the fleet; ${rest}` };
      },
    },
    {
      usage: 'remove <name>',
      summary: 'take a node that is gone for good out of the fleet',
      options: [{ flags: '--force', summary: 'remove it even if accounts live there: what they had on it is lost' }],
      asks: ([name]) => `Take the node ${name} out of the fleet, as one that is gone for good?`,
      run: async (context, [name = ''], { force }) => {
        assertInFleet(context);
        const lost = await remove(context, name, force === true);
        const text =
          lost === 0
            ? `removed ${name}`
            : `removed ${name}; accounts that still have their home there: ${lost}; what they had on it is lost unless a node of that name joins with their files`;
        return {
          value: { name, accounts: lost },
          text: `${text}\nif others may have its disks, change the password of the store, and run \`hostkeep session rotate-key\``,
        };
      },
    },
  ],
});

const placeOf = ({ name, listen }: OptionValues) => ({ name: String(name), address: String(listen) });

/** A store in a file has no fleet, and cannot be asked for one. */
function assertInFleet({ nodeFiles }: CommandContext): void {
  if (nodeFiles.membership() === undefined)
    throw fail.node_not_found('this node is in no fleet: `hostkeep fleet init` makes one');
}

async function list(context: CommandContext): Promise<CommandOutput> {
  const isAlone = context.config.store.url === '';
  const nodes = isAlone ? [] : await context.withStore(({ store }) => seenMembers(store));
  const rows = nodes.map((node) => [
    node.name,
    node.isDraining && isDown(node) ? 'down, draining' : memberState(node),
    node.heartbeat?.version ?? '–',
    node.address,
    node.heartbeat === undefined ? 'never' : `${node.heartbeat.seenSecondsAgo} s ago`,
    String(node.heartbeat?.accounts ?? '–'),
  ]);
  return {
    value: nodes.map(viewMember),
    text:
      nodes.length === 0
        ? 'this node is in no fleet'
        : textTable(['NODE', 'STATE', 'VERSION', 'ADDRESS', 'SEEN', 'ACCOUNTS'], rows),
  };
}

async function drainNode(context: CommandContext, [name = '']: readonly string[], { undo }: OptionValues) {
  const isDraining = undo !== true;
  const isChange = await context.withStore((open) => drain(open, name, isDraining, OPERATOR));
  assertChange(isChange, isDraining ? `${name} takes no new accounts already` : `${name} takes new accounts`);
  const text = isDraining ? `${name} takes no new accounts` : `${name} takes new accounts again`;
  return { value: { name, draining: isDraining }, text };
}
