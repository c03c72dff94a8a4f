import type { SitePlace } from '../../kernel/contract/points/web-server-part.ts';

/** The surroundings of a site's directives; `over` says what is different. */
export const sitePlace = (over: Partial<SitePlace> = {}): SitePlace => ({
  accountId: 7,
  docroot: '/srv/ann',
  followsNoLinks: false,
  runsPhp: false,
  listenTls: '',
  tlsPort: 0,
  certificate: '',
  usersFile: () => '',
  ...over,
});
