import { Answer, api, Button, Card, t, Time, toast, toastError, useQuery } from '../../pages/kit/index.ts';

export function AccountSessions({ username }: { readonly username: string }) {
  const params = { username };
  const sessions = useQuery(`sessions ${username}`, (signal) =>
    api('GET /api/accounts/:username/sessions', { params, signal }),
  );
  const run = async (act: () => Promise<{ readonly ended: number }>) => {
    try {
      const { ended } = await act();
      toast(t('control.sessionsEnded', { n: ended }));
      sessions.reload();
    } catch (error) {
      toastError(error);
    }
  };
  const hasAny = (sessions.data?.sessions.length ?? 0) > 0;
  return (
    <Card
      title={t('control.sessions')}
      end={
        hasAny && (
          <Button isSmall onClick={() => run(() => api('DELETE /api/accounts/:username/sessions', { params }))}>
            {t('control.endAll')}
          </Button>
        )
      }
    >
      <Answer of={sessions}>
        {({ sessions: rows }) =>
          rows.length === 0 ? (
            <p class="soft">{t('control.noSessions')}</p>
          ) : (
            <ul class="stack tight">
              {rows.map(({ id, ip, created_at: begun, user_agent: agent }) => (
                <li key={id} class="row apart nowrap">
                  <span class="wrap" title={agent}>
                    {ip} ·{' '}
                    <span class="small soft">
                      <Time at={begun} isRelative />
                    </span>
                  </span>
                  <Button
                    isSmall
                    kind="plain"
                    isBad
                    label={t('control.endOne', { name: ip })}
                    onClick={() =>
                      run(() => api('DELETE /api/accounts/:username/sessions/:id', { params: { username, id } }))
                    }
                  >
                    {t('control.end')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}
