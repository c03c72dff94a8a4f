import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const cached = Type.Boolean({ description: 'Whether Varnish stands before it while that is switched on' });

export const CachedSite = NamedObject('CachedSite', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  cached,
});
export type CachedSite = Static<typeof CachedSite>;

export const CachedSites = NamedObject('CachedSites', {
  offered: Type.Boolean({ description: 'Whether the server of the account can put Varnish before sites' }),
  is_on: Type.Boolean({
    description: 'Whether the account has switched it on; otherwise its sites are served without it',
  }),
  sites: Type.Array(CachedSite),
});

export const NewCachedSite = NamedObject('NewCachedSite', { cached });
export type NewCachedSite = Static<typeof NewCachedSite>;
