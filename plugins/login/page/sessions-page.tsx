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
  Parts,
  t,
  TabbedHead,
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

/** Whether no administrator opened this session, who may not end others. */
const isOwner = (): boolean => session.value?.opened_by === null;

type Session = ReplyOf<'GET /api/account/sessions'>['sessions'][number];

export default function SessionsPage() {
  return (
    <>
      <TabbedHead of="/account" />
      <div class="stack">
        {mayUse(['sessions']) && <SessionsCard />}
        <Parts of="/account/sessions" />
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
      toast(t('login.sessionEnded', { name: describeDevice(agent) }));
      sessions.reload();
    });
  const endAll = async () => {
    for (const { id } of others) await end(id);
    toast(t('login.sessionsEnded', { n: others.length }));
    sessions.reload();
    isEndingAll.value = false;
  };
  return (
    <Card
      title={t('login.sessions')}
      isFlush
      end={
        others.length > 0 && (
          <Button isSmall onClick={() => void (isEndingAll.value = true)}>
            {t('login.endAll')}
          </Button>
        )
      }
    >
      <Answer of={sessions}>
        {({ sessions: rows }) => (
          <Table
            caption={t('login.sessions')}
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
          title={t('login.endAll')}
          action={t('login.endAll')}
          onConfirm={endAll}
          onClose={() => void (isEndingAll.value = false)}
        >
          <p>{t('login.endAllAbout', { n: others.length })}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function columnsOf(onEnd: (session: Session) => Promise<void>): readonly Column<Session>[] {
  return [
    {
      name: 'device',
      title: t('login.device'),
      by: ({ user_agent: agent }) => describeDevice(agent),
      cell: ({ user_agent: agent, opened_by: by, current }) => (
        <span class="row">
          <span class="wrap" title={agent}>
            {describeDevice(agent)}
          </span>
          {by !== null && <Badge tone="warn">{t('login.openedBy', { name: by })}</Badge>}
          {current && <Badge tone="accent">{t('login.thisDevice')}</Badge>}
        </span>
      ),
    },
    {
      name: 'ip',
      title: t('login.address'),
      by: ({ ip }) => ip,
      cell: ({ ip }) => <span class="wrap number">{ip}</span>,
    },
    {
      name: 'begun',
      title: t('login.begun'),
      by: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <Time at={at} isRelative />,
    },
    ...endingColumns<Session>({
      labelOf: ({ user_agent: agent, ip }) => t('login.endOne', { name: `${describeDevice(agent)} ${ip}` }),
      onEnd,
      mayEnd: ({ current }) => !current && isOwner(),
    }),
  ];
}
