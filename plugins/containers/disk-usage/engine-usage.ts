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
  /** Size of each container's writable layer by container id; without containers that are newer. */
  readonly writtenBytes: ReadonlyMap<string, number>;
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Parses the reply to `/system/df`. */
export function parseEngineUsage(value: unknown, at: number): EngineUsage {
  const usage = members(value);
  return {
    at,
    writtenBytes: new Map(
      list(usage['Containers'])
        .map(members)
        .map(({ Id, SizeRw }) => [text(Id), count(SizeRw)]),
    ),
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
export function largestCount({ writtenBytes, images, volumes }: EngineUsage): number {
  return Math.max(writtenBytes.size, images.length, volumes.length);
}

/** Engines write -1 for a size that they did not measure. */
function measured(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? count(value) : undefined;
}
