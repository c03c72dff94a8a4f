import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  ConfirmDialog,
  mayUse,
  t,
  Table,
  Time,
  toast,
  toastError,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { deviceOf } from './device.ts';
import { AccountHead, isCustomer } from './tabs.tsx';

type Session = ReplyOf<'GET /api/account/sessions'>['sessions'][number];
type Login = ReplyOf<'GET /api/account/login-history'>[number];

export default function SessionsPage() {
  return (
    <>
      <AccountHead />
      <div class="stack">
        {mayUse(['sessions']) && <SessionsCard />}
        {isCustomer() && mayUse(['login_history']) && <LoginsCard />}
      </div>
    </>
  );
}

function SessionsCard() {
  const sessions = useQuery('sessions', (signal) => api('GET /api/account/sessions', { signal }));
  const isEndingAll = useSignal(false);
  const others = sessions.data?.sessions.filter(({ current }) => !current) ?? [];
  const end = (id: string) => api('DELETE /api/account/sessions/:id', { params: { id } });
  const endOne = async ({ id, user_agent: agent }: Session) => {
    try {
      await end(id);
      toast(t('account.sessionEnded', { name: deviceOf(agent) }));
      sessions.reload();
    } catch (error) {
      toastError(error);
    }
  };
  const endAll = async () => {
    for (const { id } of others) await end(id);
    toast(t('account.sessionsEnded', { n: others.length }));
    sessions.reload();
    isEndingAll.value = false;
  };
  return (
    <Card
      title={t('account.sessions')}
      isFlush
      end={
        others.length > 0 && (
          <Button isSmall onClick={() => void (isEndingAll.value = true)}>
            {t('account.endAll')}
          </Button>
        )
      }
    >
      <Answer of={sessions}>
        {({ sessions: rows }) => (
          <Table
            caption={t('account.sessions')}
            rows={rows}
            keyOf={({ id }) => id}
            columns={columnsOf(endOne)}
            sortedBy="begun"
            isDescending
          />
        )}
      </Answer>
      {isEndingAll.value && (
        <ConfirmDialog
          title={t('account.endAll')}
          action={t('account.endAll')}
          onConfirm={endAll}
          onClose={() => void (isEndingAll.value = false)}
        >
          <p>{t('account.endAllAbout', { n: others.length })}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function columnsOf(onEnd: (session: Session) => Promise<void>): readonly Column<Session>[] {
  return [
    {
      name: 'device',
      title: t('account.device'),
      by: ({ user_agent: agent }) => deviceOf(agent),
      cell: ({ user_agent: agent, current }) => (
        <span class="row">
          <span class="wrap" title={agent}>
            {deviceOf(agent)}
          </span>
          {current && <Badge tone="accent">{t('account.thisDevice')}</Badge>}
        </span>
      ),
    },
    {
      name: 'ip',
      title: t('account.address'),
      by: ({ ip }) => ip,
      cell: ({ ip }) => <span class="wrap number">{ip}</span>,
    },
    {
      name: 'begun',
      title: t('account.begun'),
      by: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <Time at={at} isRelative />,
    },
    {
      name: 'ends',
      title: t('account.endsAt'),
      by: ({ expires_at: at }) => at,
      cell: ({ expires_at: at }) => <Time at={at} isRelative />,
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: (session) =>
        !session.current && (
          <Button
            isSmall
            kind="plain"
            isBad
            label={t('account.endOne', { name: `${deviceOf(session.user_agent)} ${session.ip}` })}
            onClick={() => onEnd(session)}
          >
            {t('account.end')}
          </Button>
        ),
    },
  ];
}

function LoginsCard() {
  const logins = useQuery('logins', (signal) => api('GET /api/account/login-history', { signal }));
  const columns: readonly Column<Login>[] = [
    { name: 'at', title: t('account.time'), by: (row) => row.login_time, cell: (row) => <Time at={row.login_time} /> },
    {
      name: 'ip',
      title: t('account.address'),
      by: (row) => row.ip,
      cell: (row) => <span class="number wrap">{row.ip}</span>,
    },
    {
      name: 'country',
      title: t('account.country'),
      by: (row) => row.country_code,
      cell: (row) => countryOf(row.country_code),
    },
  ];
  return (
    <Card title={t('account.logins')} isFlush>
      <Answer of={logins}>
        {(rows) => (
          <Table
            caption={t('account.logins')}
            rows={rows}
            keyOf={(row) => `${row.login_time} ${row.ip}`}
            columns={columns}
            sortedBy="at"
            isDescending
          />
        )}
      </Answer>
    </Card>
  );
}

function countryOf(code: string): string {
  return code === ''
    ? '–'
    : (new Intl.DisplayNames([document.documentElement.lang], { type: 'region' }).of(code) ?? code);
}
