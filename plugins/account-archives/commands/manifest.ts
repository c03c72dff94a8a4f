import { Type, type Static } from '../../../kernel/schema.ts';

export const FORMAT = 'hostkeep-account';
export const FORMAT_VERSION = 1;
/** The member with the account's files, which is missing if it has none. */
export const FILES = 'files.tar';

const closed = { additionalProperties: false } as const;
const Text = (maxLength: number) => Type.String({ maxLength });

/** `account.json`, the last member of an archive. */
export const Manifest = Type.Object(
  {
    format: Type.Literal(FORMAT),
    format_version: Type.Integer(),
    hostkeep: Text(64),
    created_at: Type.String({ format: 'date-time', maxLength: 64 }),
    account: Type.Object(
      {
        username: Text(64),
        email: Type.String({ maxLength: 254, pattern: '^$|^[!-?A-~]+@[!-?A-~]+$' }),
        locale: Text(64),
        plan: Type.Union([Text(64), Type.Null()]),
        is_suspended: Type.Boolean(),
        /** Features in which it differs from its plan. */
        features: Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,64}$' }), Type.Boolean(), closed),
      },
      closed,
    ),
    /** The values of `ArchivePart.save`, by plugin. */
    parts: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }), Type.Unknown(), closed),
    databases: Type.Array(Type.Object({ engine: Text(64), name: Text(512), member: Text(100) }, closed), {
      maxItems: 10_000,
    }),
    members: Type.Array(
      Type.Object({ name: Text(100), size_bytes: Type.Integer({ minimum: 0 }), sha256: Text(64) }, closed),
      { maxItems: 20_000 },
    ),
  },
  closed,
);
export type Manifest = Static<typeof Manifest>;
