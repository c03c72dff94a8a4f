/** Reports about the fleet for administrators, doctor and Prometheus. */
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { noNode } from '../../kernel/areas/fleet-nodes.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { FleetPlace } from '../../kernel/contract/node-info.ts';
import type { Store } from '../../kernel/store/store.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { minorsAhead, VERSION } from '../../kernel/kit/files/project-dir.ts';
import { memberKey, partLeft } from './membership/certificates.ts';
import type { Forwarder } from './traffic/forwarder.ts';
import type { Fleet } from './schema.ts';
import { isDown, memberState } from './state.ts';
import { connectionLimit, databaseNow, isMember, seenMembers, type SeenMember } from './store.ts';

/** A certificate is renewed long before. */
const CERTIFICATE_LEFT = 1 / 4;
const CLOCK_MS = 5000;

export async function readFleet(store: Store, place: FleetPlace): Promise<Fleet> {
  const nodes = await seenMembers(store);
  return { node: place.name, nodes: nodes.map(viewMember) };
}

/** Errors: 404 `node_not_found`. */
export async function readNode(store: Store, name: string): Promise<Fleet['nodes'][number]> {
  const found = (await seenMembers(store)).find((node) => node.name === name);
  if (found === undefined) throw noNode(name);
  return viewMember(found);
}

/** Returns a node as the API and the command line show it. */
export function viewMember(member: SeenMember): Fleet['nodes'][number] {
  const { name, address, heartbeat } = member;
  return {
    name,
    address,
    state: memberState(member),
    draining: member.isDraining,
    version: heartbeat?.version ?? null,
    seen_seconds_ago: heartbeat?.seenSecondsAgo ?? null,
    accounts: heartbeat?.accounts ?? null,
    urls: heartbeat === undefined ? null : { user: heartbeat.userUrl, admin: heartbeat.adminUrl },
    sample: heartbeat?.sample ?? null,
  };
}

export async function fleetMetrics(store: Store, { outcomes }: Forwarder): Promise<Metric[]> {
  const nodes = await seenMembers(store);
  return [
    gauge(
      'hostkeep_fleet_node_up',
      'Whether a node of the fleet was seen in the last 15 seconds',
      nodes.map((node) => ({ labels: { node: node.name }, value: isDown(node) ? 0 : 1 })),
    ),
    counter(
      'hostkeep_fleet_forwarded_requests_total',
      'Requests sent on to other nodes, by node and outcome',
      outcomes.map(({ node, outcome, count }) => ({ labels: { node, outcome }, value: count })),
    ),
  ];
}

/** Resolves with findings for `health`, every few seconds: opens no connections. */
export async function fleetHealth(store: Store, place: FleetPlace): Promise<Finding[]> {
  const nodes = await seenMembers(store);
  const silent = nodes.filter((node) => node.name !== place.name && isDown(node)).map(({ name }) => name);
  return [
    isMember(nodes, memberKey(place.membership()))
      ? { name: 'membership', ok: true, detail: `the node ${place.name}, one of ${nodes.length}` }
      : {
          name: 'membership',
          ok: false,
          detail: `the node ${place.name} was removed from the fleet`,
          remedy: 'let it join again, with an empty data folder',
        },
    certificateFinding(partLeft(place.membership().certificate)),
    silent.length === 0
      ? { name: 'other nodes', ok: true, detail: 'all were seen in the last 15 seconds' }
      : {
          name: 'other nodes',
          ok: false,
          isWarning: true,
          detail: `silent: ${silent.join(', ')}`,
          remedy: 'start them, or run `hostkeep fleet remove` for those that are gone for good',
        },
    versionFinding(nodes),
    await clockFinding(store),
  ];
}

/** Of the process that listens; `fault` is why it does not. */
export const listenerFinding = (fault: string | undefined): Finding =>
  fault === undefined
    ? { name: 'listener', ok: true, detail: 'listens for the other nodes' }
    : { name: 'listener', ok: false, detail: fault, remedy: 'free the port, or set fleet.listen' };

/** For `doctor`: whether the database has enough connections for all nodes, if each may have as many as this one. */
export async function connectionsFinding(store: Store, ofEach: number): Promise<Finding> {
  const [{ length }, limit] = [await seenMembers(store), await connectionLimit(store)];
  const detail = `${length} nodes with ${ofEach} each may take ${length * ofEach} of the ${limit} that the database has`;
  if (length * ofEach <= limit) return { name: 'connections', ok: true, detail };
  const remedy = 'raise max_connections of PostgreSQL, or lower store.connections of the nodes';
  return { name: 'connections', ok: false, isWarning: true, detail, remedy };
}

/** For `doctor`: reaches each node, this one included. */
export async function reachFindings(store: Store, forwarder: Forwarder): Promise<Finding[]> {
  return Promise.all(
    (await seenMembers(store)).map(async (member) => {
      const name = `node ${member.name}`;
      try {
        await forwarder.reach(member);
        return { name, ok: true, detail: `answers at ${member.address}` };
      } catch (error) {
        const detail = `does not answer at ${member.address}: ${errorMessage(error)}`;
        const remedy = 'check that its server runs, and that no firewall is in the way';
        return { name, ok: false, isWarning: true, detail, remedy };
      }
    }),
  );
}

function certificateFinding(left: number): Finding {
  const [name, rest] = ['certificate', `${Math.max(0, Math.round(left * 100))} % of its time is left`];
  if (left >= CERTIFICATE_LEFT) return { name, ok: true, detail: rest };
  const remedy = 'look into the log for the reason; it is renewed while the server runs and the store answers';
  return { name, ok: false, isWarning: left > 0, detail: `${rest}, and it was not renewed`, remedy };
}

function versionFinding(nodes: readonly SeenMember[]): Finding {
  const apart = nodes.filter((node) => !isDown(node) && !(Math.abs(minorsAhead(versionOf(node), VERSION)) <= 1));
  if (apart.length === 0) return { name: 'versions', ok: true, detail: 'all are at most one minor version apart' };
  const detail = `this is ${VERSION}; ${apart.map((node) => `${node.name} has ${versionOf(node)}`).join(', ')}`;
  const remedy = 'upgrade all nodes to one minor version before any goes on to the next';
  return { name: 'versions', ok: false, detail, remedy };
}

const versionOf = ({ heartbeat }: SeenMember): string => heartbeat?.version ?? '';

async function clockFinding(store: Store): Promise<Finding> {
  const before = Date.now();
  const there = await databaseNow(store);
  const differenceMs = Math.round(there - (before + Date.now()) / 2);
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  if (Math.abs(differenceMs) < CLOCK_MS)
    return { name: 'clock', ok: true, detail: `${seconds} s from that of the database` };
  return {
    name: 'clock',
    ok: false,
    isWarning: true,
    detail: `${seconds} s ${differenceMs > 0 ? 'behind' : 'ahead of'} that of the database: tokens are refused a minute apart`,
    remedy: 'synchronize the clocks (systemd-timesyncd, chrony)',
  };
}
