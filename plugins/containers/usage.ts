/** What an engine says of its disk usage, and an account's part of it as `docker system df -v --format json` prints it. */
import { parseContainers, type Container } from './container.ts';
import { count, labels, list, members, text, texts } from './foreign.ts';
import { portText } from './port-text.ts';
import type { ContainerRecord, DiskUsage, ImageRecord, VolumeRecord } from './schema.ts';
import { createdAt, dateText, decimalSize, duration, quoted } from './units.ts';

interface Image {
  readonly id: string;
  readonly tags: readonly string[];
  readonly createdSeconds: number;
  readonly sizeBytes: number;
  /** `undefined` where the engine did not count. */
  readonly sharedBytes: number | undefined;
}

export interface Volume {
  readonly name: string;
  readonly driver: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly mountpoint: string;
  readonly scope: string;
  readonly sizeBytes: number | undefined;
}

/** The whole engine's usage at one time. */
export interface Usage {
  readonly containers: readonly Container[];
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * From the answers to `/system/df` and `/containers/json?all=true`: Podman leaves most of a container out of the first.
 * Throws when the second is no list.
 */
export function parseUsage(value: unknown, containers: unknown, at: number): Usage {
  const usage = members(value);
  const written = new Map(list(usage['Containers']).map(members).map(({ Id, SizeRw }) => [text(Id), count(SizeRw)]));
  return {
    at,
    containers: parseContainers(containers).map((container) => ({ ...container, writtenBytes: written.get(container.id) ?? 0 })),
    images: list(usage['Images']).map(members).map(({ Id, RepoTags, Created, Size, SharedSize }) => (
      { id: text(Id), tags: texts(RepoTags), createdSeconds: count(Created), sizeBytes: count(Size), sharedBytes: counted(SharedSize) })),
    volumes: list(usage['Volumes']).map(members).map(({ Name, Driver, Labels, Mountpoint, Scope, UsageData }) => (
      { name: text(Name), driver: text(Driver), labels: labels(Labels), mountpoint: text(Mountpoint), scope: text(Scope), sizeBytes: counted(members(UsageData)['Size']) })),
  };
}

/** The part of an account; `mine` tells what labels are its own, and of an engine of its own all is. Counts are of its own containers only. */
export function usageOf(usage: Usage, mine: (labels: ReadonlyMap<string, string>) => boolean): DiskUsage {
  const containers = usage.containers.filter((container) => mine(container.labels));
  const images = usage.images.map((image) => ({ image, users: containers.filter(({ imageId }) => hashOf(imageId) === hashOf(image.id)) }));
  const volumes = usage.volumes.map((volume) => ({ volume, users: containers.filter(({ mounts }) => mounts.some(({ name }) => name === volume.name)) }));
  return {
    data: [{
      BuildCache: [],
      Containers: containers.map((container) => containerRecord(container, usage.at)),
      Images: images.filter(({ users }) => users.length > 0).map(({ image, users }) => imageRecord(image, users, usage.at)),
      Volumes: volumes.filter(({ volume, users }) => users.length > 0 || mine(volume.labels)).map(({ volume, users }) => volumeRecord(volume, users.length)),
    }],
    date: dateText(usage.at),
  };
}

function containerRecord(container: Container, at: number): ContainerRecord {
  return {
    Command: quoted(container.command),
    CreatedAt: createdAt(container.createdSeconds),
    ID: container.id,
    Image: container.image === '' ? '<no image>' : container.image,
    Labels: labelText(container.labels),
    LocalVolumes: String(container.mounts.filter(({ driver }) => driver === 'local').length),
    Mounts: container.mounts.map(({ name, source }) => (name === '' ? source : name)).join(','),
    Names: container.names.join(','),
    Networks: container.networks.join(','),
    Platform: null,
    Ports: portText(container.ports),
    RunningFor: since(container.createdSeconds, at),
    Size: decimalSize(container.writtenBytes, 3),
    State: container.state,
    Status: container.status,
  };
}

function imageRecord(image: Image, users: readonly Container[], at: number): ImageRecord {
  const [repository, tag] = splitTag(tagOf(image, users));
  const size = (bytes: number | undefined) => (bytes === undefined ? 'N/A' : decimalSize(bytes));
  return {
    Containers: String(users.length),
    CreatedAt: createdAt(image.createdSeconds),
    CreatedSince: since(image.createdSeconds, at),
    Digest: '',
    ID: image.id,
    Repository: repository,
    SharedSize: size(image.sharedBytes),
    Size: decimalSize(image.sizeBytes, 3),
    Tag: tag,
    UniqueSize: size(image.sharedBytes === undefined ? undefined : Math.max(0, image.sizeBytes - image.sharedBytes)),
    VirtualSize: decimalSize(image.sizeBytes),
  };
}

function volumeRecord(volume: Volume, links: number): VolumeRecord {
  return {
    Availability: 'N/A', Driver: volume.driver, Group: 'N/A', Labels: labelText(volume.labels), Links: String(links), Mountpoint: volume.mountpoint,
    Name: volume.name, Scope: volume.scope, Size: volume.sizeBytes === undefined ? 'N/A' : decimalSize(volume.sizeBytes), Status: 'N/A',
  };
}

function labelText(things: ReadonlyMap<string, string>): string {
  return [...things].map(([name, value]) => `${name}=${value}`).toSorted().join(',');
}

/** Of several tags, the one that the account's containers were made from: others may be another account's. */
function tagOf({ tags }: Image, users: readonly Container[]): string {
  const names = users.flatMap(({ image }) => [image, `${image}:latest`]);
  return tags.find((tag) => names.includes(tag)) ?? tags[0] ?? '<none>:<none>';
}

/** A port of the registry has a colon too, but a path after it. */
function splitTag(reference: string): [string, string] {
  const colon = reference.lastIndexOf(':');
  return reference.slice(colon).includes('/') || colon < 0 ? [reference, '<none>'] : [reference.slice(0, colon), reference.slice(colon + 1)];
}

/** Podman names the algorithm in some answers and not in others. */
function hashOf(id: string): string {
  return id.replace(/^sha256:/, '');
}

function since(seconds: number, at: number): string {
  return `${duration(at / 1000 - seconds)} ago`;
}

/** Engines write -1 for what they did not count. */
function counted(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? count(value) : undefined;
}
