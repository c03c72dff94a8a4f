import { ask, t, Time, useQuery } from '../../../pages/kit/index.ts';
import { EndableList } from './endable-list.tsx';

interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly last_used_at: string | null;
}

/** The API tokens of an account, as long as it has any. They are of another plugin, which may be off. */
export function AccountTokens({ username }: { readonly username: string }) {
  const path = `/api/accounts/${encodeURIComponent(username)}/tokens`;
  const list = useQuery(
    `tokens ${username}`,
    async () => (await ask<{ readonly tokens: readonly Token[] }>('GET', path)).tokens,
  );
  if (list.error?.code === 'not_found') return null;
  if (list.data === undefined ? list.error === undefined : list.data.length === 0) return null;
  return (
    <EndableList
      title={t('accounts.tokens')}
      list={list}
      none=""
      line={({ name, scopes, last_used_at: used }) => (
        <span class="wrap">
          {name} · <span class="small soft">{scopes.join(', ')}</span>
          {used !== null && (
            <span class="small soft">
              {' · '}
              <Time at={used} isRelative />
            </span>
          )}
        </span>
      )}
      labelOf={({ name }) => t('accounts.endToken', { name })}
      end={async (row) => {
        const what = row === undefined ? path : `${path}/${encodeURIComponent(row.id)}`;
        const { ended } = await ask<{ readonly ended: number | true }>('DELETE', what);
        return t('accounts.tokensEnded', { n: Number(ended) });
      }}
    />
  );
}
