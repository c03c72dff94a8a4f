import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  ConfirmDialog,
  endingColumns,
  mayUse,
  sendRemoval,
  t,
  TabbedHead,
  Table,
  timeColumn,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
  session,
} from '../../pages/kit/index.ts';
import { describeDevice } from './device.ts';
import { LoginsCard } from './logins-card.tsx';

/** Whether no administrator opened this session, who may not end others. */
const isOwner = (): boolean => session.value?.opened_by === null;

type Session = ReplyOf<'GET /api/account/sessions'>['sessions'][number];

export default function SessionsPage() {
  return (
    <>
      <TabbedHead of="/account" />
      <div class="stack">
        {mayUse(['sessions']) && <SessionsCard />}
        {session.value?.role === 'user' && mayUse(['login_history']) && <LoginsCard />}
      </div>
    </>
  );
}

function SessionsCard() {
  const sessions = useQuery('sessions', (signal) => api('GET /api/account/sessions', { signal }));
  const isEndingAll = useSignal(false);
  const others = (isOwner() && sessions.data?.sessions.filter(({ current }) => !current)) || [];
  const end = (id: string) => sendRemoval('DELETE /api/account/sessions/:id', { params: { id } });
  const endOne = ({ id, user_agent: agent }: Session) =>
    attempt(async () => {
      await end(id);
      toast(t('profile.sessionEnded', { name: describeDevice(agent) }));
      sessions.reload();
    });
  const endAll = async () => {
    for (const { id } of others) await end(id);
    toast(t('profile.sessionsEnded', { n: others.length }));
    sessions.reload();
    isEndingAll.value = false;
  };
  return (
    <Card
      title={t('profile.sessions')}
      isFlush
      end={
        others.length > 0 && (
          <Button isSmall onClick={() => void (isEndingAll.value = true)}>
            {t('profile.endAll')}
          </Button>
        )
      }
    >
      <Answer of={sessions}>
        {({ sessions: rows }) => (
          <Table
            caption={t('profile.sessions')}
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
          title={t('profile.endAll')}
          action={t('profile.endAll')}
          onConfirm={endAll}
          onClose={() => void (isEndingAll.value = false)}
        >
          <p>{t('profile.endAllAbout', { n: others.length })}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function columnsOf(onEnd: (session: Session) => Promise<void>): readonly Column<Session>[] {
  return [
    {
      name: 'device',
      title: t('profile.device'),
      by: ({ user_agent: agent }) => describeDevice(agent),
      cell: ({ user_agent: agent, opened_by: by, current }) => (
        <span class="row">
          <span class="wrap" title={agent}>
            {describeDevice(agent)}
          </span>
          {by !== null && <Badge tone="warn">{t('profile.openedBy', { name: by })}</Badge>}
          {current && <Badge tone="accent">{t('profile.thisDevice')}</Badge>}
        </span>
      ),
    },
    {
      name: 'ip',
      title: t('profile.address'),
      by: ({ ip }) => ip,
      cell: ({ ip }) => <span class="wrap number">{ip}</span>,
    },
    timeColumn('begun', t('profile.begun'), ({ created_at: at }) => at, { isRelative: true }),
    ...endingColumns<Session>({
      labelOf: ({ user_agent: agent, ip }) => t('profile.endOne', { name: `${describeDevice(agent)} ${ip}` }),
      onEnd,
      mayEnd: ({ current }) => !current && isOwner(),
    }),
  ];
}
