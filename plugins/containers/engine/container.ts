import { count, labels, list, members, text, texts, type Labels } from '../../../kernel/kit/engine/untrusted-json.ts';

/** A container as the engine lists it; plain data. */
export type Container = ReturnType<typeof parseContainers>[number];

const ID = /^[0-9a-f]{12,64}$/;

/**
 * Parses a list of containers (`/containers/json`). Throws when it is not an array; skips entries without a valid id.
 */
export function parseContainers(value: unknown) {
  if (!Array.isArray(value)) throw new Error('the list of containers is not an array');
  return value
    .map(members)
    .filter(({ Id }) => ID.test(text(Id)))
    .map((entry) => ({
      id: text(entry['Id']),
      names: texts(entry['Names']).map((name) => name.replace(/^\//, '')),
      image: text(entry['Image']),
      imageId: text(entry['ImageID']),
      command: text(entry['Command']),
      createdSeconds: count(entry['Created']),
      labels: labels(entry['Labels']),
      ports: list(entry['Ports']).map(members).map(parsePort),
      mounts: list(entry['Mounts']).map(members).map(parseMount),
      networkMode: text(members(entry['HostConfig'])['NetworkMode']),
      networks: Object.entries(members(members(entry['NetworkSettings'])['Networks']))
        .map(parseNetwork)
        .toSorted(byName),
      state: text(entry['State']),
      status: text(entry['Status']),
    }));
}

/** Returns the value of a label. */
export const readLabel = (all: Labels, name: string): string | undefined => all.find(([each]) => each === name)?.[1];

/** `publicPort` is 0 for a port that is not published. */
function parsePort({ IP, PrivatePort, PublicPort, Type }: Readonly<Record<string, unknown>>) {
  return { ip: text(IP), privatePort: count(PrivatePort), publicPort: count(PublicPort), protocol: text(Type) };
}

const parseNetwork = ([name, network]: [string, unknown]) => ({ name, address: text(members(network)['IPAddress']) });
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** `name` is that of the volume, and empty for a folder of the host. */
function parseMount({ Name, Source, Driver }: Readonly<Record<string, unknown>>) {
  return { name: text(Name), source: text(Source), driver: text(Driver) };
}
