import { NodeName } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const FleetConfig = Type.Object({
  listen: Type.String({
    default: '',
    pattern: '^(.+:[1-9][0-9]{0,4})?$',
    description:
      'host:port at which this node listens for the others, if they reach it at another one; empty = the one that they reach',
  }),
});
export type FleetConfig = Static<typeof FleetConfig>;

export const NodeParams = Type.Object({ name: NodeName('Name of a node') });

const Percent = Type.Union([Type.Number(), Type.Null()]);

export const FleetNode = NamedObject('FleetNode', {
  name: Type.String(),
  address: Type.String({ description: 'host:port at which the other nodes reach it' }),
  state: Type.Union([Type.Literal('up'), Type.Literal('down'), Type.Literal('draining')], {
    description: 'down: silent for 15 seconds; draining: up, but takes no new accounts',
  }),
  draining: Type.Boolean({ description: 'Whether it takes no new accounts, also while it is down' }),
  version: Type.Union([Type.String(), Type.Null()]),
  seen_seconds_ago: Type.Union([Type.Integer(), Type.Null()], { description: 'null = never' }),
  accounts: Type.Union([Type.Integer(), Type.Null()], { description: 'Customers whose home it is' }),
  urls: Type.Union([NamedObject('FleetNodeUrls', { user: Type.String(), admin: Type.String() }), Type.Null()]),
  sample: Type.Union([NamedObject('FleetNodeSample', { cpu: Percent, memory: Percent, disk: Percent }), Type.Null()], {
    description: 'Percent in use, as of the last heartbeat',
  }),
});

export const Fleet = NamedObject('Fleet', {
  node: Type.Union([Type.String(), Type.Null()], { description: 'The node that answers; null = it is in no fleet' }),
  nodes: Type.Array(FleetNode),
});
export type Fleet = Static<typeof Fleet>;
