import { DomainName } from '../../kernel/areas/sites/domain-directory.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
export const TemporaryLinksConfig = Type.Object(
  {
    preview_domain: Type.String({
      default: '',
      maxLength: 200,
      pattern: `^((?:${LABEL}\\.)+${LABEL})?$`,
      description:
        'Domain below which temporary links are made, such as preview.example.net; all names below it must lead to the node. ' +
        'No account can add it, or a name below it, as its own. Empty = no links are made',
    }),
    hours: Type.Integer({ default: 72, minimum: 1, maximum: 720, description: 'How long a link lives' }),
    check_seconds: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 3600,
      description: 'How often expired links are looked for',
    }),
  },
  { additionalProperties: false },
);
export type TemporaryLinksConfig = Static<typeof TemporaryLinksConfig>;

export const NewTemporaryLink = NamedObject('NewTemporaryLink', { domain_url: DomainName });

export const TemporaryLinkEntry = NamedObject('TemporaryLink', {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  url: Type.String({ description: 'Where the site answers; whoever knows it sees the site' }),
  created_at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
  expires_at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
});
export type TemporaryLinkEntry = Static<typeof TemporaryLinkEntry>;
export const TemporaryLinkList = NamedObject('TemporaryLinkList', {
  links: Type.Array(TemporaryLinkEntry),
  is_offered: Type.Boolean({ description: 'Whether this server makes links' }),
  hours: Type.Integer({ description: 'How long a link lives' }),
});
export const RemovedTemporaryLink = NamedObject('TemporaryLinkRemoved', {
  domain_url: Type.String(),
  deleted: Type.Literal(true),
});
