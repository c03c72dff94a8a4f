import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  ConfirmDialog,
  mayUse,
  t,
  Table,
  Time,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
  session,
} from '../../pages/kit/index.ts';
import { describeDevice } from './device.ts';
import { endingColumns } from './ending-columns.tsx';
import { AccountHead, isCustomer } from './tabs.tsx';

/** Whether no administrator opened this session, who may not end others. */
const isOwner = (): boolean => session.value?.opened_by === null;

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
  const others = (isOwner() && sessions.data?.sessions.filter(({ current }) => !current)) || [];
  const end = (id: string) => api('DELETE /api/account/sessions/:id', { params: { id } });
  const endOne = ({ id, user_agent: agent }: Session) =>
    attempt(async () => {
      await end(id);
      toast(t('account.sessionEnded', { name: describeDevice(agent) }));
      sessions.reload();
    });
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
      by: ({ user_agent: agent }) => describeDevice(agent),
      cell: ({ user_agent: agent, opened_by: by, current }) => (
        <span class="row">
          <span class="wrap" title={agent}>
            {describeDevice(agent)}
          </span>
          {by !== null && <Badge tone="warn">{t('account.openedBy', { name: by })}</Badge>}
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
    ...endingColumns<Session>({
      labelOf: ({ user_agent: agent, ip }) => t('account.endOne', { name: `${describeDevice(agent)} ${ip}` }),
      onEnd,
      mayEnd: ({ current }) => !current && isOwner(),
    }),
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
