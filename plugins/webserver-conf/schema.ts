import { MOST_BODY_MIB } from '../../kernel/contract/points/web-server-part.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';
import { KINDS, LONGEST_SECONDS, MOST_HEADERS, MOST_INDEX } from './site-settings.ts';

const CACHING = {
  kind: Type.String({ enum: [...KINDS], description: 'By the ending of their names' }),
  seconds: Type.Integer({
    minimum: 0,
    maximum: LONGEST_SECONDS,
    description: 'How long browsers use a file without asking again; 0 = they ask each time',
  }),
};
const HEADER = {
  name: Type.String({ minLength: 1, maxLength: 64, examples: ['Referrer-Policy'] }),
  value: Type.String({ minLength: 1, maxLength: 1024, examples: ['same-origin'] }),
};
const index = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: MOST_INDEX,
  description: 'Names of files that answer for their folder; index.php, index.html and index.htm come after them',
});
const listing = Type.Boolean({ description: 'Whether a folder without an index file shows what is in it' });
const upload = Type.Union([Type.Integer({ minimum: 1, maximum: MOST_BODY_MIB }), Type.Null()], {
  description: 'The largest body of a request in MiB; null = as the options of PHP say, and 1 without PHP',
});
const LISTS = {
  caching: { maxItems: KINDS.length, description: 'One entry for each kind of files that is cached' },
  headers: { maxItems: MOST_HEADERS, description: 'Added to each answer, beside those of an application' },
};

export const SiteSettingsEntry = NamedObject('SiteSettings', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  index_files: index,
  caching: Type.Array(NamedObject('SiteCaching', CACHING), LISTS.caching),
  headers: Type.Array(NamedObject('SiteHeader', HEADER), LISTS.headers),
  folder_listing: listing,
  upload_mib: upload,
});
export type SiteSettingsEntry = Static<typeof SiteSettingsEntry>;

export const SiteSettingsList = NamedObject('SiteSettingsList', {
  sites: Type.Array(SiteSettingsEntry),
  upload_limit_mib: Type.Integer({ description: 'The largest upload_mib that the plan allows' }),
  offers_folder_listing: Type.Boolean({ description: 'Whether the web server of this node can list folders safely' }),
});

export const NewSiteSettings = NamedObject('NewSiteSettings', {
  index_files: Type.Optional(index),
  caching: Type.Optional(Type.Array(NamedObject('NewSiteCaching', CACHING), LISTS.caching)),
  headers: Type.Optional(Type.Array(NamedObject('NewSiteHeader', HEADER), LISTS.headers)),
  folder_listing: Type.Optional(listing),
  upload_mib: Type.Optional(upload),
});
export type NewSiteSettings = Static<typeof NewSiteSettings>;
