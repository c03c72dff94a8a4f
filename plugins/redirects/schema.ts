import { MOST_NAMES, REDIRECT_STATUSES } from '../../kernel/contract/points/web-server-part.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const MATCHES = ['exact', 'prefix'] as const;
const text = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description });

export const NewRedirect = NamedObject('NewRedirect', {
  domain_url: text('A domain of the account'),
  path: text('Path from which it leads, without a query'),
  match: Type.String({
    enum: [...MATCHES],
    default: 'exact',
    description: 'exact = this path alone; prefix = and everything below it',
  }),
  target: text('Absolute http or https URL, or a path of the same domain'),
  status: Type.Integer({
    enum: [...REDIRECT_STATUSES],
    default: 302,
    description:
      '301 and 308 are permanent, and browsers remember them; 307 and 308 keep method and body of the request',
  }),
  keep_path: Type.Boolean({
    default: false,
    description: 'Appends what follows the path to the target; with prefix only',
  }),
  keep_query: Type.Boolean({ default: false, description: "Appends the visitor's query to the target" }),
});
export type NewRedirect = Static<typeof NewRedirect>;

export const RedirectEntry = NamedObject('Redirect', {
  redirect_id: Type.Integer(),
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  path: Type.String({ description: 'In the form of a URL' }),
  match: Type.String({ enum: [...MATCHES] }),
  target: Type.String(),
  status: Type.Integer({ enum: [...REDIRECT_STATUSES] }),
  keep_path: Type.Boolean(),
  keep_query: Type.Boolean(),
  created_at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
});
export type RedirectEntry = Static<typeof RedirectEntry>;

export const RedirectList = NamedObject('RedirectList', {
  redirects: Type.Array(RedirectEntry),
  redirects_limit: Type.Integer({ description: 'Redirects of each domain that the plan allows; 0 for no limit' }),
});
const main_address = Type.Union([Type.String({ maxLength: 253 }), Type.Null()], {
  description: 'To which of its names visitors of the others are led; null to show the site at each',
});
export const MainAddress = NamedObject('MainAddress', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  addresses: Type.Array(Type.String(), {
    maxItems: MOST_NAMES + 2,
    description: 'The names at which the site answers: the domain, www and its aliases',
  }),
  main_address,
});
export type MainAddress = Static<typeof MainAddress>;
export const MainAddressList = NamedObject('MainAddressList', { sites: Type.Array(MainAddress) });
export const NewMainAddress = NamedObject('NewMainAddress', { main_address });
export type NewMainAddress = Static<typeof NewMainAddress>;

export const RedirectParams = Type.Object({
  id: Type.String({ maxLength: 15, description: 'From GET /api/redirects', examples: ['1'] }),
});
export const RemovedRedirect = NamedObject('RedirectRemoved', {
  redirect_id: Type.Integer(),
  deleted: Type.Literal(true),
});
