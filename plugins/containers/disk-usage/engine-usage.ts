import { count, labels, list, members, text, texts } from '../../../kernel/kit/engine/untrusted-json.ts';

/** The disk usage of a whole engine at one time; plain data. */
export type EngineUsage = ReturnType<typeof parseEngineUsage>;

/**
 * Parses the reply to `/system/df`. `at` is in milliseconds since 1970. Sizes that the engine did not measure are
 * missing, and so are those of newer containers.
 */
export function parseEngineUsage(value: unknown, at: number) {
  const usage = members(value);
  const items = (name: string) => list(usage[name]).map(members);
  return {
    at,
    /** Sizes of the writable layers of containers, by id. */
    writtenBytes: items('Containers').map(({ Id, SizeRw }): [string, number] => [text(Id), count(SizeRw)]),
    images: items('Images').map(({ Id, RepoTags, Created, Size, SharedSize }) => ({
      id: text(Id),
      tags: texts(RepoTags),
      createdSeconds: count(Created),
      sizeBytes: count(Size),
      sharedBytes: measured(SharedSize),
    })),
    volumes: items('Volumes').map(({ Name, Driver, Labels, Mountpoint, Scope, UsageData }) => ({
      name: text(Name),
      driver: text(Driver),
      labels: labels(Labels),
      mountpoint: text(Mountpoint),
      scope: text(Scope),
      sizeBytes: measured(members(UsageData)['Size']),
    })),
    buildCache: items('BuildCache').map((each) => ({
      id: text(each['ID']),
      parent: text(each['Parent']),
      type: text(each['Type']),
      description: text(each['Description']),
      isInUse: each['InUse'] === true,
      isShared: each['Shared'] === true,
      sizeBytes: count(each['Size']),
      createdAt: text(each['CreatedAt']),
      lastUsedAt: text(each['LastUsedAt']),
      uses: count(each['UsageCount']),
    })),
  };
}

/** Engines write -1 for a size that they did not measure. */
const measured = (value: unknown) => (typeof value === 'number' && value >= 0 ? count(value) : undefined);
