import { invalid } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { ApiToken } from '../../../kernel/identity/gate/api-tokens/token-rows.ts';
import type { NodeInfo } from '../../../kernel/contract/node-info.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Reply } from '../../../kernel/contract/reply.ts';
import { IpRanges } from '../../../kernel/kit/net/ip.ts';
import { asOwner, type Caller, type CredentialChanges } from '../credentials/credential-changes.ts';
import type { AccountTokens, NewToken, TokenBody, TokenList, TokenMade, TokenView } from './schema.ts';
import { assertGrantable, grantableScopes } from './scopes.ts';

const DAY_MS = 86_400_000;

/** Returns the handlers of the own API tokens. */
export function tokenHandlers({ identity, node }: Pick<Host, 'identity' | 'node'>, changes: CredentialChanges) {
  return {
    tokens: async (call: Caller): Promise<TokenList> => {
      const { account } = asOwner(call);
      const tokens = await identity.tokens.list(account.id);
      return { tokens: tokens.map(tokenView), scopes: grantableScopes(node, account) };
    },
    makeToken: async (call: Caller & { readonly body: TokenBody }): Promise<TokenMade | Reply> => {
      const { account, body, ip } = asOwner(call);
      const wanted = tokenToMake(node, account, body);
      return changes.withProof(call, body.password, body.twofa_code ?? '', async (check) => {
        const { token, made } = await identity.tokens.make(account, wanted, ip, check);
        return { ...tokenView(made), token };
      });
    },
    endToken: async (call: Caller & { readonly params: { id: string } }) => {
      const {
        account,
        ip,
        params: { id },
      } = asOwner(call);
      await identity.tokens.end(account, id, ip);
      return { id, ended: true } as const;
    },
    endTokens: async (call: Caller) => {
      const { account, ip } = asOwner(call);
      return { ended: await identity.tokens.endAll(account, ip) };
    },
  };
}

interface AdminCall<P> {
  readonly params: P;
  readonly ip: string;
}

/** Returns the handlers by which administrators see and end the API tokens of an account. */
export function accountTokenHandlers({ accounts, tokens }: Host['identity']) {
  return {
    tokensOf: async ({ params }: AdminCall<{ username: string }>): Promise<AccountTokens> => {
      const { id } = await accounts.get(params.username);
      return { tokens: (await tokens.list(id)).map(tokenView) };
    },
    endTokenOf: async ({ params: { username, id }, ip }: AdminCall<{ username: string; id: string }>) => {
      await tokens.end(await accounts.get(username), id, ip);
      return { id, ended: true } as const;
    },
    endTokensOf: async ({ params, ip }: AdminCall<{ username: string }>) => ({
      ended: await tokens.endAll(await accounts.get(params.username), ip),
    }),
  };
}

/** Returns what is to be made. Errors: 400 `invalid_request` for scopes or networks that cannot be given. */
export function tokenToMake(node: NodeInfo, account: Account, { expires_in_days: days, ...given }: NewToken) {
  assertGrantable(node, account, given.scopes);
  assertNetworks(given.networks);
  return { ...given, expiresAt: Date.now() + days * DAY_MS };
}

export function tokenView({ createdAt, expiresAt, lastUsedAt, lastUsedFrom, ...token }: ApiToken): TokenView {
  const { id, name, scopes, networks } = token;
  return {
    id,
    name,
    scopes: [...scopes],
    networks: [...networks],
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    last_used_at: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    last_used_from: lastUsedFrom,
  };
}

function assertNetworks(networks: readonly string[]): void {
  const issues = networks.flatMap((network, i) =>
    isRange(network) ? [] : [{ path: `/networks/${i}`, message: 'is not an address or a CIDR range' }],
  );
  if (issues.length > 0) throw invalid('body', issues);
}

function isRange(text: string): boolean {
  try {
    return /^[\da-fA-F.:]+(\/\d{1,3})?$/.test(text) && !new IpRanges([text]).isEmpty;
  } catch {
    // the caller refuses it
    return false;
  }
}
