import { Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

export const SystemConfig = Type.Object(
  {
    remote_disks: Type.Boolean({
      default: false,
      description: 'Whether to include network file systems and FUSE, if they answer',
    }),
    roots: Type.Object(
      {
        proc: Type.String({
          default: '/proc',
          description: "Where the host's /proc is mounted, for a server in a container",
        }),
        sys: Type.String({ default: '/sys', description: "The same for the host's /sys" }),
        files: Type.String({ default: '/', description: "The same for the host's root file system" }),
      },
      { ...closed, default: {} },
    ),
  },
  closed,
);
export type SystemConfig = Static<typeof SystemConfig>;
