import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  ConfirmDialog,
  Empty,
  IconButton,
  t,
  Table,
  TextToCopy,
  toast,
  type Column,
  type Query,
} from '../../index.ts';
import { AccessDialog } from './access-dialog.tsx';
import { CreateUser } from './create-user.tsx';
import type { DatabaseEngine, ListedDatabases, ListedUser, UserWithPassword } from '../engine.ts';
import { UserSecret } from './user-secret.tsx';

type Users = readonly ListedUser[];
/** A user with the name that tells it from the others: its own, and the host where another one has that, too. */
interface LabelledUser extends ListedUser {
  readonly label: string;
}
interface DatabaseUsersProps {
  readonly engine: DatabaseEngine;
  readonly users: Query<Users>;
  readonly databases: ListedDatabases;
}
type Shown =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'access' | 'drop' | 'password'; readonly user: LabelledUser }
  | { readonly dialog: 'secret'; readonly secret: UserWithPassword };

/** The users of an account, with what each may do. */
export function DatabaseUsers({ engine, users, databases }: DatabaseUsersProps) {
  const shown = useSignal<Shown | undefined>(undefined);
  const close = () => void (shown.value = undefined);
  const open = (next: Shown) => void (shown.value = next);
  const create = () => open({ dialog: 'create' });
  const showSecret = (secret: UserWithPassword) => {
    changed();
    open({ dialog: 'secret', secret });
  };
  return (
    <Card
      title={t('pages.db.users')}
      isFlush
      end={
        <Button icon="plus" isSmall onClick={create}>
          {t('pages.db.createUser')}
        </Button>
      }
    >
      <Answer of={users} lines={3}>
        {(all) => <UserTable engine={engine} users={labelled(all)} onCreate={create} onOpen={open} />}
      </Answer>
      {shown.value && (
        <UserDialog engine={engine} shown={shown.value} databases={databases} onClose={close} onSecret={showSecret} />
      )}
    </Card>
  );
}

const labelled = (users: Users): readonly LabelledUser[] =>
  users.map((user) => {
    const { name, host } = user;
    return { ...user, label: users.filter((each) => each.name === name).length > 1 ? `${name}@${host}` : name };
  });

interface UserDialogProps {
  readonly engine: DatabaseEngine;
  readonly shown: Shown;
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
  readonly onSecret: (secret: UserWithPassword) => void;
}

function UserDialog({ engine, shown, databases, onClose, onSecret }: UserDialogProps) {
  if (shown.dialog === 'secret') return <UserSecret secret={shown.secret} databases={databases} onClose={onClose} />;
  if (shown.dialog === 'create')
    return <CreateUser engine={engine} databases={databases} onClose={onClose} onMade={onSecret} />;
  const { user } = shown;
  const { label: name } = user;
  if (shown.dialog === 'access')
    return <AccessDialog engine={engine} user={user} databases={databases} onClose={onClose} />;
  if (shown.dialog === 'password')
    return (
      <ConfirmDialog
        title={t('pages.db.renewOne', { name })}
        action={t('pages.db.renew')}
        onConfirm={async () => onSecret(await engine.renewPassword(user))}
        onClose={onClose}
      >
        <p>{t('pages.db.renewAbout')}</p>
      </ConfirmDialog>
    );
  const drop = async () => {
    await engine.dropUser(user);
    toast(t('pages.db.userWasDropped', { name }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('pages.db.dropUserOne', { name })}
      action={t('pages.db.dropUser')}
      onConfirm={drop}
      onClose={onClose}
    >
      <p>{t('pages.db.dropUserAbout')}</p>
    </ConfirmDialog>
  );
}

interface UserTableProps {
  readonly engine: DatabaseEngine;
  readonly users: readonly LabelledUser[];
  readonly onCreate: () => void;
  readonly onOpen: (shown: Shown) => void;
}

function UserTable({ engine, users, onCreate, onOpen }: UserTableProps) {
  if (users.length === 0)
    return (
      <Empty
        icon="user"
        title={t('pages.db.noUsersYet')}
        action={
          <Button icon="plus" onClick={onCreate}>
            {t('pages.db.createUser')}
          </Button>
        }
      >
        {t('pages.db.noUsersAbout')}
      </Empty>
    );
  const columns: readonly Column<LabelledUser>[] = [
    {
      name: 'name',
      title: t('pages.db.user'),
      by: ({ name }) => name,
      cell: ({ name, host, isLocked }) => (
        <span class="stack tight">
          <TextToCopy text={name} what={name} />
          {host !== '' && (
            <span class="small soft">{host === '%' ? t('pages.db.fromAnywhere') : t('pages.db.from', { host })}</span>
          )}
          {isLocked && <Badge tone="warn">{t('pages.db.locked')}</Badge>}
        </span>
      ),
    },
    { name: 'access', title: t('pages.db.access'), cell: (user) => <Access engine={engine} user={user} /> },
    actionsColumn((user) => (
      <>
        <Button
          isSmall
          label={t('pages.db.accessOne', { name: user.label })}
          onClick={() => onOpen({ dialog: 'access', user })}
        >
          {t('pages.db.setAccess')}
        </Button>
        <IconButton
          icon="key"
          label={t('pages.db.renewOne', { name: user.label })}
          onClick={() => onOpen({ dialog: 'password', user })}
        />
        <IconButton
          isBad
          icon="trash"
          label={t('pages.db.dropUserOne', { name: user.label })}
          onClick={() => onOpen({ dialog: 'drop', user })}
        />
      </>
    )),
  ];
  return (
    <Table
      caption={t('pages.db.users')}
      columns={columns}
      rows={users}
      keyOf={({ name, host }) => `${name}@${host}`}
      sortedBy="name"
    />
  );
}

function Access({ engine, user }: { readonly engine: DatabaseEngine; readonly user: LabelledUser }) {
  const { label: name, access } = user;
  if (access.length === 0) return <span class="soft">{t('pages.db.noAccess')}</span>;
  const revoke = (database: string) =>
    attempt(async () => {
      await engine.revokeAccess(user, database);
      changed();
    });
  return (
    <ul class="stack tight">
      {access.map(({ database, level }) => (
        <li key={database} class="row">
          <span class="wrap">
            <code>{database}</code>: {t(`pages.db.level.${level}`)}
          </span>
          <IconButton
            icon="close"
            label={t('pages.db.revokeOne', { name, database })}
            onClick={() => revoke(database)}
          />
        </li>
      ))}
    </ul>
  );
}
