/** What an engine says of its disk usage, and an account's part of it as `docker system df -v --format json` prints it. */
import { parseContainers, type Container } from '../engine/container.ts';
import { count, labels, list, members, text, texts } from '../engine/untrusted-json.ts';
import { portText } from './port-text.ts';
import type { ContainerRecord, DiskUsage, ImageRecord, VolumeRecord } from '../schema.ts';
import { createdAt, dateText, decimalSize, duration, quoted } from '../docker-format.ts';

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
  const written = new Map(
    list(usage['Containers'])
      .map(members)
      .map(({ Id, SizeRw }) => [text(Id), count(SizeRw)]),
  );
  return {
    at,
    containers: parseContainers(containers).map((container) => ({
      ...container,
      writtenBytes: written.get(container.id) ?? 0,
    })),
    images: list(usage['Images'])
      .map(members)
      .map(({ Id, RepoTags, Created, Size, SharedSize }) => ({
        id: text(Id),
        tags: texts(RepoTags),
        createdSeconds: count(Created),
        sizeBytes: count(Size),
        sharedBytes: counted(SharedSize),
      })),
    volumes: list(usage['Volumes'])
      .map(members)
      .map(({ Name, Driver, Labels, Mountpoint, Scope, UsageData }) => ({
        name: text(Name),
        driver: text(Driver),
        labels: labels(Labels),
        mountpoint: text(Mountpoint),
        scope: text(Scope),
        sizeBytes: counted(members(UsageData)['Size']),
      })),
  };
}

/** How many things there are of the kind of which there are most. */
export function sizeOf({ containers, images, volumes }: Usage): number {
  return Math.max(containers.length, images.length, volumes.length);
}

/** The part of an account; `mine` tells what labels are its own, and of an engine of its own all is. Counts are of its own containers only. */
export function usageOf(usage: Usage, mine: (labels: ReadonlyMap<string, string>) => boolean): DiskUsage {
  const containers = usage.containers.filter((container) => mine(container.labels));
  const byImage = grouped(containers, ({ imageId }) => [hashOf(imageId)]);
  const byVolume = grouped(containers, ({ mounts }) => mounts.map(({ name }) => name));
  return {
    data: [
      {
        BuildCache: [],
        Containers: containers.map((container) => containerRecord(container, usage.at)),
        Images: usage.images.flatMap((image) => {
          const users = byImage.get(hashOf(image.id));
          return users === undefined ? [] : [imageRecord(image, users, usage.at)];
        }),
        Volumes: usage.volumes.flatMap((volume) => {
          const users = byVolume.get(volume.name);
          return users === undefined && !mine(volume.labels) ? [] : [volumeRecord(volume, users?.size ?? 0)];
        }),
      },
    ],
    date: dateText(usage.at),
  };
}

/** Containers by what they use, each once for each. */
function grouped(
  containers: readonly Container[],
  keysOf: (container: Container) => readonly string[],
): Map<string, Set<Container>> {
  const groups = new Map<string, Set<Container>>();
  for (const container of containers) {
    for (const key of keysOf(container)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([container]));
      else group.add(container);
    }
  }
  return groups;
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

function imageRecord(image: Image, users: ReadonlySet<Container>, at: number): ImageRecord {
  const [repository, tag] = splitTag(tagOf(image, users));
  const size = (bytes: number | undefined) => (bytes === undefined ? 'N/A' : decimalSize(bytes));
  return {
    Containers: String(users.size),
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
    Availability: 'N/A',
    Driver: volume.driver,
    Group: 'N/A',
    Labels: labelText(volume.labels),
    Links: String(links),
    Mountpoint: volume.mountpoint,
    Name: volume.name,
    Scope: volume.scope,
    Size: volume.sizeBytes === undefined ? 'N/A' : decimalSize(volume.sizeBytes),
    Status: 'N/A',
  };
}

function labelText(things: ReadonlyMap<string, string>): string {
  return [...things]
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(',');
}

/** Of several tags, the one that the account's containers were made from: others may be another account's. */
function tagOf({ tags }: Image, users: ReadonlySet<Container>): string {
  const names = new Set([...users].flatMap(({ image }) => [image, `${image}:latest`]));
  return tags.find((tag) => names.has(tag)) ?? tags[0] ?? '<none>:<none>';
}

/** A port of the registry has a colon too, but a path after it. */
function splitTag(reference: string): [string, string] {
  const colon = reference.lastIndexOf(':');
  return reference.slice(colon).includes('/') || colon < 0
    ? [reference, '<none>']
    : [reference.slice(0, colon), reference.slice(colon + 1)];
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
