import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  ConfirmDialog,
  Empty,
  t,
  Table,
  toast,
  type Column,
  type Query,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { AccessDialog } from './access-dialog.tsx';
import { CreateUser } from './create-user.tsx';
import { levelIn } from './levels.ts';
import { UserSecret, type Secret } from './user-secret.tsx';

type Users = ReplyOf<'GET /api/database-users'>;
type User = Users[number];
interface DatabaseUsersProps {
  readonly users: Query<Users>;
  readonly databases: ReplyOf<'GET /api/databases'>;
}
type Shown =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'access' | 'drop' | 'password'; readonly user: User }
  | { readonly dialog: 'secret'; readonly secret: Secret };

/** The users of an account, with what each may do. */
export function DatabaseUsers({ users, databases }: DatabaseUsersProps) {
  const shown = useSignal<Shown | undefined>(undefined);
  const close = () => void (shown.value = undefined);
  const open = (next: Shown) => void (shown.value = next);
  const create = () => open({ dialog: 'create' });
  const showSecret = (secret: Secret) => {
    changed();
    open({ dialog: 'secret', secret });
  };
  return (
    <Card
      title={t('mysql.users')}
      isFlush
      end={
        <Button icon="plus" isSmall onClick={create}>
          {t('mysql.createUser')}
        </Button>
      }
    >
      <Answer of={users} lines={3}>
        {(all) => <UserTable users={all} onCreate={create} onOpen={open} />}
      </Answer>
      {shown.value && <UserDialog shown={shown.value} databases={databases} onClose={close} onSecret={showSecret} />}
    </Card>
  );
}

interface UserDialogProps {
  readonly shown: Shown;
  readonly databases: ReplyOf<'GET /api/databases'>;
  readonly onClose: () => void;
  readonly onSecret: (secret: Secret) => void;
}

function UserDialog({ shown, databases, onClose, onSecret }: UserDialogProps) {
  if (shown.dialog === 'secret') return <UserSecret secret={shown.secret} databases={databases} onClose={onClose} />;
  if (shown.dialog === 'create') return <CreateUser databases={databases} onClose={onClose} onMade={onSecret} />;
  const { name, host } = shown.user;
  const which = { params: { user: name }, query: { host } };
  if (shown.dialog === 'access') return <AccessDialog user={shown.user} databases={databases} onClose={onClose} />;
  if (shown.dialog === 'password')
    return (
      <ConfirmDialog
        title={t('mysql.renewOne', { name })}
        action={t('mysql.renew')}
        onConfirm={async () => onSecret(await api('POST /api/database-users/:user/password', which))}
        onClose={onClose}
      >
        <p>{t('mysql.renewAbout')}</p>
      </ConfirmDialog>
    );
  const drop = async () => {
    await api('DELETE /api/database-users/:user', which);
    toast(t('mysql.userWasDropped', { name }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('mysql.dropUserOne', { name })}
      action={t('mysql.dropUser')}
      onConfirm={drop}
      onClose={onClose}
    >
      <p>{t('mysql.dropUserAbout')}</p>
    </ConfirmDialog>
  );
}

interface UserTableProps {
  readonly users: Users;
  readonly onCreate: () => void;
  readonly onOpen: (shown: Shown) => void;
}

function UserTable({ users, onCreate, onOpen }: UserTableProps) {
  if (users.length === 0)
    return (
      <Empty
        icon="user"
        title={t('mysql.noUsersYet')}
        action={
          <Button icon="plus" onClick={onCreate}>
            {t('mysql.createUser')}
          </Button>
        }
      >
        {t('mysql.noUsersAbout')}
      </Empty>
    );
  const columns: readonly Column<User>[] = [
    {
      name: 'name',
      title: t('mysql.user'),
      by: ({ name }) => name,
      cell: ({ name, host, is_locked: isLocked }) => (
        <span class="stack tight">
          <code class="wrap">{name}</code>
          <span class="small soft">{t('mysql.from', { host })}</span>
          {isLocked && <Badge tone="warn">{t('mysql.locked')}</Badge>}
        </span>
      ),
    },
    { name: 'access', title: t('mysql.access'), cell: (user) => <Access user={user} /> },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: (user) => (
        <>
          <Button
            isSmall
            label={t('mysql.accessOne', { name: user.name })}
            onClick={() => onOpen({ dialog: 'access', user })}
          >
            {t('mysql.setAccess')}
          </Button>
          <Button
            kind="plain"
            isSmall
            icon="key"
            label={t('mysql.renewOne', { name: user.name })}
            onClick={() => onOpen({ dialog: 'password', user })}
          />
          <Button
            kind="plain"
            isSmall
            isBad
            icon="trash"
            label={t('mysql.dropUserOne', { name: user.name })}
            onClick={() => onOpen({ dialog: 'drop', user })}
          />
        </>
      ),
    },
  ];
  return (
    <Table
      caption={t('mysql.users')}
      columns={columns}
      rows={users}
      keyOf={({ name, host }) => `${name}@${host}`}
      sortedBy="name"
    />
  );
}

function Access({ user: { name, host, access } }: { readonly user: User }) {
  if (access.length === 0) return <span class="soft">{t('mysql.noAccess')}</span>;
  const revoke = (database: string) =>
    attempt(async () => {
      await api('DELETE /api/database-users/:user/databases/:database', {
        params: { user: name, database },
        query: { host },
      });
      changed();
    });
  return (
    <ul class="stack tight">
      {access.map(({ database, privileges }) => (
        <li key={database} class="row">
          <span class="wrap">
            <code>{database}</code>: {t(`mysql.level.${levelIn(privileges) ?? 'other'}`)}
          </span>
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={t('mysql.revokeOne', { name, database })}
            onClick={() => revoke(database)}
          />
        </li>
      ))}
    </ul>
  );
}
