import { api, sendRemoval, t, Time, useQuery } from '../../../pages/kit/index.ts';
import { EndableList } from './endable-list.tsx';

export function AccountSessions({ username }: { readonly username: string }) {
  const params = { username };
  const list = useQuery(
    `sessions ${username}`,
    async (signal) => (await api('GET /api/accounts/:username/sessions', { params, signal })).sessions,
  );
  return (
    <EndableList
      title={t('accounts.sessions')}
      list={list}
      none={t('accounts.noSessions')}
      line={({ ip, created_at: begun, user_agent: agent }) => (
        <span class="wrap" title={agent}>
          {ip} ·{' '}
          <span class="small soft">
            <Time at={begun} isRelative />
          </span>
        </span>
      )}
      labelOf={({ ip }) => t('accounts.endOne', { name: ip })}
      end={async (row) => {
        let n = 1;
        if (row === undefined) n = (await api('DELETE /api/accounts/:username/sessions', { params })).ended;
        else await sendRemoval('DELETE /api/accounts/:username/sessions/:id', { params: { username, id: row.id } });
        return t('accounts.sessionsEnded', { n });
      }}
    />
  );
}
