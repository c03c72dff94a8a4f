/** An account's part of an engine's disk usage, in the records that `docker system df -v --format json` prints. */
import { createdAt, dateText, decimalSize, duration, goTime, isoTime, quoted } from '../docker-format.ts';
import type { Container } from '../engine/container.ts';
import type { Labels } from '../../../kernel/kit/engine/untrusted-json.ts';
import type { BuildCacheRecord, ContainerRecord, DiskUsage, ImageRecord, VolumeRecord } from '../schema.ts';
import type { EngineUsage } from './engine-usage.ts';
import { portText } from './port-text.ts';

type Image = EngineUsage['images'][number];
type Volume = EngineUsage['volumes'][number];

/**
 * `all` are the engine's containers at the time `now`, in milliseconds since 1970; their sizes are those of `usage`.
 * `isOwned` says whether labels are the account's. The records count only containers of the account.
 */
export function accountDiskUsage(
  usage: EngineUsage,
  { all, now }: { readonly all: readonly Container[]; readonly now: number },
  isOwned: (labels: Labels) => boolean,
): DiskUsage {
  const containers = all.filter((container) => isOwned(container.labels));
  const written = new Map(usage.writtenBytes);
  const images = usersOfImages(containers);
  const volumes = linksOfVolumes(containers);
  return {
    data: [
      {
        BuildCache: usage.buildCache.map((cache) => buildCacheRecord(cache, now)),
        Containers: containers.map((container) => containerRecord(container, written.get(container.id), now)),
        Images: usage.images.flatMap((image) => {
          const users = images.get(hashOf(image.id));
          return users === undefined ? [] : [imageRecord(image, users, now)];
        }),
        Volumes: usage.volumes.flatMap((volume) => {
          const links = volumes.get(volume.name);
          return links === undefined && !isOwned(volume.labels) ? [] : [volumeRecord(volume, links ?? 0)];
        }),
      },
    ],
    date: dateText(usage.at),
    measured_at: isoTime(usage.at),
  };
}

/** The containers of one image, and the names by which they call it. */
interface ImageUsers {
  count: number;
  readonly names: Set<string>;
}

/** By the hash of the image: an engine may list one image many times, so its users are collected once. */
function usersOfImages(containers: readonly Container[]): Map<string, ImageUsers> {
  const users = new Map<string, ImageUsers>();
  for (const { imageId, image } of containers) {
    const hash = hashOf(imageId);
    const { count, names } = users.get(hash) ?? { count: 0, names: new Set() };
    users.set(hash, { count: count + 1, names: names.add(image).add(`${image}:latest`) });
  }
  return users;
}

/** By the volume's name; a container that mounts it twice counts once. */
function linksOfVolumes(containers: readonly Container[]): Map<string, number> {
  const links = new Map<string, number>();
  for (const { mounts } of containers)
    for (const name of new Set(mounts.map((mount) => mount.name))) links.set(name, (links.get(name) ?? 0) + 1);
  return links;
}

function containerRecord(container: Container, writtenBytes: number | undefined, now: number): ContainerRecord {
  return {
    Command: quoted(container.command),
    CreatedAt: createdAt(container.createdSeconds),
    ID: container.id,
    Image: container.image === '' ? '<no image>' : container.image,
    Labels: labelText(container.labels),
    LocalVolumes: String(container.mounts.filter(({ driver }) => driver === 'local').length),
    Mounts: container.mounts.map(({ name, source }) => (name === '' ? source : name)).join(','),
    Names: container.names.join(','),
    Networks: container.networks.map(({ name }) => name).join(','),
    Platform: null,
    Ports: portText(container.ports),
    RunningFor: since(container.createdSeconds, now),
    Size: writtenBytes === undefined ? 'N/A' : decimalSize(writtenBytes, 3),
    State: container.state,
    Status: container.status,
  };
}

function imageRecord(image: Image, users: ImageUsers, now: number): ImageRecord {
  const [repository, tag] = splitTag(tagOf(image, users));
  const size = (bytes: number | undefined) => (bytes === undefined ? 'N/A' : decimalSize(bytes));
  return {
    Containers: String(users.count),
    CreatedAt: createdAt(image.createdSeconds),
    CreatedSince: since(image.createdSeconds, now),
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

function buildCacheRecord(cache: EngineUsage['buildCache'][number], now: number): BuildCacheRecord {
  return {
    CacheType: cache.type,
    CreatedAt: goTime(cache.createdAt),
    CreatedSince: sinceTime(cache.createdAt, now),
    Description: cache.description,
    ID: cache.isInUse ? `${cache.id}*` : cache.id,
    InUse: String(cache.isInUse),
    LastUsedAt: goTime(cache.lastUsedAt),
    LastUsedSince: sinceTime(cache.lastUsedAt, now),
    Parent: cache.parent,
    Shared: String(cache.isShared),
    Size: decimalSize(cache.sizeBytes, 3),
    UsageCount: String(cache.uses),
  };
}

function labelText(labels: Labels): string {
  return labels
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(',');
}

/** Of several tags, returns the one that the account's containers were made from: others may be another account's. */
function tagOf({ tags }: Image, { names }: ImageUsers): string {
  return tags.find((tag) => names.has(tag)) ?? tags[0] ?? '<none>:<none>';
}

/** A registry's port has a colon before it too, but a path after it. */
function splitTag(reference: string): [string, string] {
  const colon = reference.lastIndexOf(':');
  return reference.slice(colon).includes('/') || colon < 0
    ? [reference, '<none>']
    : [reference.slice(0, colon), reference.slice(colon + 1)];
}

/** Podman prefixes ids with the algorithm in some replies and not in others. */
const hashOf = (id: string): string => id.replace(/^sha256:/, '');

function sinceTime(time: string, now: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : since(at / 1000, now);
}

const since = (seconds: number, now: number): string => `${duration(now / 1000 - seconds)} ago`;
