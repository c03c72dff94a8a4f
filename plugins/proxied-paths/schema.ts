import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { MOST_PATHS } from './site-directives.ts';

const PATH = {
  path: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'It and all below it; / is the whole site. The longest one that fits counts',
    examples: ['/app'],
  }),
  container: Type.String({ minLength: 1, maxLength: 128, description: 'Its name' }),
  port: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    description: 'At which the container answers by HTTP, published or not',
  }),
  strips_path: Type.Boolean({ description: 'Whether the container is asked for / where visitors ask for the path' }),
};

export const ProxiedSite = NamedObject('ProxiedSite', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  paths: Type.Array(
    NamedObject('ProxiedPath', {
      ...PATH,
      state: Type.String({
        enum: ['served', 'stopped', 'unreachable', 'missing'],
        description:
          'unreachable: the container is on no network of the account alone, where no other could take its address. Visitors get 502 ' +
          'unless it is served',
      }),
    }),
    { maxItems: MOST_PATHS },
  ),
});
export type ProxiedSite = Static<typeof ProxiedSite>;

export const ProxiedSites = NamedObject('ProxiedSites', {
  sites: Type.Array(ProxiedSite),
  containers: Type.Array(
    NamedObject('ProxyTarget', {
      name: Type.String(),
      ports: Type.Array(Type.Integer(), { description: 'Those of TCP that it declares' }),
    }),
    { description: 'The containers of the account' },
  ),
});

export const NewProxiedPaths = NamedObject('NewProxiedPaths', {
  paths: Type.Array(NamedObject('NewProxiedPath', PATH), { maxItems: MOST_PATHS }),
});
export type NewProxiedPaths = Static<typeof NewProxiedPaths>;
