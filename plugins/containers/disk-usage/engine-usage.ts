import { count, labels, list, members, text, texts, type Labels } from '../engine/untrusted-json.ts';

export interface Image {
  readonly id: string;
  readonly tags: readonly string[];
  readonly createdSeconds: number;
  readonly sizeBytes: number;
  /** `undefined` where the engine did not measure it. */
  readonly sharedBytes?: number;
}

export interface Volume {
  readonly name: string;
  readonly driver: string;
  readonly labels: Labels;
  readonly mountpoint: string;
  readonly scope: string;
  /** `undefined` where the engine did not measure it. */
  readonly sizeBytes?: number;
}

/** The disk usage of a whole engine at one time; plain data. */
export interface EngineUsage {
  /** Container ids and the sizes of their writable layers; without containers that are newer. */
  readonly writtenBytes: readonly (readonly [id: string, bytes: number])[];
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
    writtenBytes: list(usage['Containers'])
      .map(members)
      .map(({ Id, SizeRw }) => [text(Id), count(SizeRw)]),
    images: list(usage['Images'])
      .map(members)
      .map(({ Id, RepoTags, Created, Size, SharedSize }) => ({
        id: text(Id),
        tags: texts(RepoTags),
        createdSeconds: count(Created),
        sizeBytes: count(Size),
        ...measured('sharedBytes', SharedSize),
      })),
    volumes: list(usage['Volumes'])
      .map(members)
      .map(({ Name, Driver, Labels, Mountpoint, Scope, UsageData }) => ({
        name: text(Name),
        driver: text(Driver),
        labels: labels(Labels),
        mountpoint: text(Mountpoint),
        scope: text(Scope),
        ...measured('sizeBytes', members(UsageData)['Size']),
      })),
  };
}

/** Engines write -1 for a size that they did not measure. */
function measured<N extends string>(name: N, value: unknown): { readonly [K in N]?: number } {
  return typeof value === 'number' && value >= 0 ? ({ [name]: count(value) } as { [K in N]: number }) : {};
}
