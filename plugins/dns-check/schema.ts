import { DomainName } from '../../kernel/areas/sites/domain-directory.ts';
import { MOST_NAMES } from '../../kernel/contract/points/web-server-part.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const ADDRESS = '^[0-9a-fA-F.:]+$';
export const DnsCheckConfig = Type.Object(
  {
    addresses: Type.Array(Type.String({ pattern: ADDRESS }), {
      default: [],
      maxItems: 16,
      description: 'Addresses at which visitors reach this node; empty = those of its interfaces',
    }),
    resolvers: Type.Array(Type.String({ pattern: '^[0-9a-fA-F.:\\[\\]]+$' }), {
      default: [],
      maxItems: 4,
      description: 'Addresses of the name servers that are asked; empty = those of the system',
    }),
  },
  { additionalProperties: false },
);
export type DnsCheckConfig = Static<typeof DnsCheckConfig>;

export const DnsCheckQuery = Type.Object({
  domain_url: DomainName,
});

const Addresses = (description: string) => Type.Array(Type.String(), { maxItems: 64, description });
export const STATES = ['here', 'partly', 'elsewhere', 'none', 'unknown'] as const;
export const DnsCheck = NamedObject('DnsCheck', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  expected: Addresses('The addresses of this server'),
  names: Type.Array(
    NamedObject('CheckedName', {
      name: Type.String(),
      state: Type.String({
        enum: [...STATES],
        description:
          'here = all its addresses are of this server; partly = some are; elsewhere = none is, as behind a proxy; none = it has ' +
          'none; unknown = no name server answered',
      }),
      addresses: Addresses('The addresses of the name'),
    }),
    { maxItems: MOST_NAMES + 2, description: 'The domain, www and its aliases' },
  ),
});
export type DnsCheck = Static<typeof DnsCheck>;
