import { parseContainers, type Container } from '../engine/container.ts';
import { count, labels, list, members, text, texts } from '../engine/untrusted-json.ts';

export interface Image {
  readonly id: string;
  readonly tags: readonly string[];
  readonly createdSeconds: number;
  readonly sizeBytes: number;
  /** `undefined` where the engine did not measure it. */
  readonly sharedBytes: number | undefined;
}

export interface Volume {
  readonly name: string;
  readonly driver: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly mountpoint: string;
  readonly scope: string;
  /** `undefined` where the engine did not measure it. */
  readonly sizeBytes: number | undefined;
}

/** The disk usage of a whole engine at one time. */
export interface EngineUsage {
  readonly containers: readonly Container[];
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Parses the replies to `/system/df` and `/containers/json?all=true`; Podman omits most of a container's members from
 * the first. Throws when the second is not an array.
 */
export function parseEngineUsage(value: unknown, containers: unknown, at: number): EngineUsage {
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
        sharedBytes: measured(SharedSize),
      })),
    volumes: list(usage['Volumes'])
      .map(members)
      .map(({ Name, Driver, Labels, Mountpoint, Scope, UsageData }) => ({
        name: text(Name),
        driver: text(Driver),
        labels: labels(Labels),
        mountpoint: text(Mountpoint),
        scope: text(Scope),
        sizeBytes: measured(members(UsageData)['Size']),
      })),
  };
}

/** The number of containers, images or volumes, whichever is largest. */
export function largestCount({ containers, images, volumes }: EngineUsage): number {
  return Math.max(containers.length, images.length, volumes.length);
}

/** Engines write -1 for a size that they did not measure. */
function measured(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? count(value) : undefined;
}
