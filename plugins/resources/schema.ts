import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** There are no settings. */
export const ResourcesConfig = Type.Object({}, { additionalProperties: false });

const Unknown = (description: string) => ({ description: `${description}; null where this server does not count it` });

export const Resources = NamedObject('AccountResources', {
  is_kept: Type.Boolean({ description: 'Whether the system keeps all processes of the account within these limits' }),
  memory_bytes: Type.Union(
    [Type.Integer(), Type.Null()],
    Unknown('In use by all processes of the account, without what the system can take back at once'),
  ),
  memory_limit_bytes: Type.Integer({ description: '0 = unlimited' }),
  cpu_percent: Type.Union([Type.Number(), Type.Null()], Unknown('Of one processor, over the last seconds')),
  cpu_limit_percent: Type.Integer({ description: 'Of one processor; 0 = unlimited' }),
  processes: Type.Union([Type.Integer(), Type.Null()], Unknown('Processes and threads')),
  processes_limit: Type.Integer({ description: '0 = unlimited' }),
  read_per_second: Type.Union([Type.Integer(), Type.Null()], Unknown("Bytes from the disk of accounts' files")),
  read_limit_per_second: Type.Integer({ description: 'Bytes; 0 = unlimited' }),
  written_per_second: Type.Union([Type.Integer(), Type.Null()], Unknown('Bytes to that disk')),
  write_limit_per_second: Type.Integer({ description: 'Bytes; 0 = unlimited' }),
});
export type Resources = Static<typeof Resources>;
