import { NamedObject, NO_CONTROL, Type, type Static } from '../../../kernel/schema.ts';
import { AccountParams, CodeIfAny, Password } from '../schema.ts';

const Time = Type.String({ description: 'RFC 3339, UTC' });
const NETWORKS = 'Addresses and CIDR ranges from which the token counts; empty for all';

const view = {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Type.String(), { description: '`<area>:read` or `<area>:write`' }),
  networks: Type.Array(Type.String(), { description: NETWORKS }),
  created_at: Time,
  expires_at: Time,
  last_used_at: Type.Union([Type.String(), Type.Null()], {
    description: 'RFC 3339, UTC, to the minute; null before the first use',
  }),
  last_used_from: Type.String({ description: "The client's address then; empty before the first use" }),
};
const TokenView = NamedObject('ApiToken', view);
export type TokenView = Static<typeof TokenView>;

const TokenScope = NamedObject('ApiTokenScope', {
  scope: Type.String(),
  title: Type.String({ description: 'Of the feature, in the language of the account; else the area' }),
  routes: Type.Array(Type.String(), { description: 'What it opens, as in `GET /api/domains`' }),
});
export type TokenScope = Static<typeof TokenScope>;

export const TokenList = NamedObject('ApiTokenList', {
  tokens: Type.Array(TokenView, { description: 'Newest first, without those that have expired' }),
  scopes: Type.Array(TokenScope, { description: 'What a new token may be given' }),
});
export type TokenList = Static<typeof TokenList>;

export const AccountTokens = NamedObject('AccountApiTokens', {
  tokens: Type.Array(TokenView, { maxItems: 50, description: 'Newest first, without those that have expired' }),
});
export type AccountTokens = Static<typeof AccountTokens>;

/** The body of a request for a token; the command line checks its options with it too. */
export const NewToken = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64, pattern: NO_CONTROL }),
  scopes: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 200,
    description: 'From the list of the route that lists the tokens; `write` does not include `read`',
  }),
  expires_in_days: Type.Integer({ minimum: 1, maximum: 365, default: 90 }),
  networks: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 20, default: [], description: NETWORKS }),
});
export type NewToken = Static<typeof NewToken>;

export const TokenBody = NamedObject(
  'NewApiToken',
  { ...NewToken.properties, password: Password, twofa_code: CodeIfAny },
  {
    examples: [{ name: 'Backup', scopes: ['sessions:read'], password: 'PASSWORD', networks: ['192.0.2.0/24'] }],
  },
);
export type TokenBody = Static<typeof TokenBody>;

export const TokenMade = NamedObject('ApiTokenMade', {
  ...view,
  token: Type.String({ description: 'Shown only once: `hk_`, 30 random characters and six of a checksum' }),
});
export type TokenMade = Static<typeof TokenMade>;

export const TokenParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const AccountTokenParams = Type.Object({ ...AccountParams.properties, ...TokenParams.properties });
export const TokenEnded = NamedObject('ApiTokenEnded', { id: Type.String(), ended: Type.Literal(true) });
export const TokensEnded = NamedObject('ApiTokensEnded', { ended: Type.Integer({ description: 'Number of tokens' }) });
