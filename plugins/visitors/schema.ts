import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const VisitorsConfig = Type.Object(
  {
    goaccess: Type.String({
      default: 'goaccess',
      description: 'Program that counts visitors; empty = none are counted',
    }),
    geoip_database: Type.String({
      default: '',
      pattern: '^(/.*)?$',
      description:
        'File of MaxMind (GeoLite2-Country.mmdb) by which goaccess tells countries; empty = the one that comes with Hostkeep',
    }),
    timeout_ms: Type.Integer({
      minimum: 1000,
      maximum: 120_000,
      default: 30_000,
      description: 'How long the visitors of a site may be counted',
    }),
  },
  { additionalProperties: false },
);
export type VisitorsConfig = Static<typeof VisitorsConfig>;

export const PERIODS = [1, 7, 30] as const;
export const VisitorsQuery = Type.Object({
  domain_url: Type.String({ minLength: 1, maxLength: 255, description: 'A domain of the account' }),
  days: Type.Integer({ enum: [...PERIODS], default: 7, description: 'The last day, week or month' }),
});
const Named = (name: string, what: string) =>
  Type.Array(
    NamedObject(name, {
      name: Type.String({ description: what }),
      hits: Type.Integer(),
      visitors: Type.Integer(),
      bytes: Type.Integer(),
    }),
    { maxItems: 20, description: 'The twenty with most requests' },
  );
export const Visitors = NamedObject('Visitors', {
  domain_url: Type.String(),
  since: Type.String({ format: 'date-time', description: 'From when on requests count' }),
  counted_at: Type.String({ format: 'date-time' }),
  truncated: Type.Boolean({ description: 'Whether there are so many requests that only the newest were counted' }),
  hits: Type.Integer({ description: 'Requests' }),
  visitors: Type.Integer({ description: 'Different addresses and browsers on each day' }),
  bytes: Type.Integer({ description: 'Sent to visitors' }),
  times: Type.Array(
    NamedObject('VisitorsOfTime', {
      time: Type.String({
        description:
          'The hour of the last day, else the day, in the time zone of the server: 2026-11-24T16 or 2026-11-24',
      }),
      hits: Type.Integer(),
      visitors: Type.Integer(),
      bytes: Type.Integer(),
    }),
    { description: 'The oldest first; those without requests are left out' },
  ),
  pages: Named('VisitedPage', 'Path, without the query'),
  missing: Named('MissingPage', 'Path that was not found'),
  statuses: Named('StatusOfReplies', 'Status of the reply, e.g. 404'),
  referrers: Named('ReferringSite', 'Host that leads here'),
  countries: Type.Union(
    [Named('CountryOfVisitors', 'ISO 3166-1 alpha-2; empty for addresses that are not known'), Type.Null()],
    {
      description: 'null while the base of addresses cannot be read',
    },
  ),
});
export type Visitors = Static<typeof Visitors>;
