import {
  actionsColumn,
  attempt,
  Badge,
  Button,
  changed,
  IconButton,
  mayUse,
  sendRemoval,
  t,
  Table,
  Time,
  type Column,
} from '../../pages/kit/index.ts';
import type { Login } from './replies.ts';

/** A dialog about a login. */
export interface Opened {
  readonly dialog: 'key' | 'move' | 'password' | 'remove';
  readonly login: Login;
}
interface LoginTableProps {
  readonly logins: readonly Login[];
  readonly onOpen: (opened: Opened) => void;
}

export function LoginTable({ logins, onOpen }: LoginTableProps) {
  const columns: readonly Column<Login>[] = [
    {
      name: 'login',
      title: t('sftp.user'),
      by: ({ login }) => login,
      cell: ({ login }) => <code>{login}</code>,
    },
    {
      name: 'folder',
      title: t('sftp.folder'),
      by: ({ folder }) => folder,
      cell: ({ folder }) => <code class="wrap">{folder}</code>,
    },
    {
      name: 'last',
      title: t('sftp.lastLogin'),
      by: ({ last_login_at: at }) => at ?? '',
      cell: ({ last_login_at: at, last_login_from: from }) =>
        at === null ? <span class="soft">{t('sftp.never')}</span> : <LastLogin at={at} from={from} />,
    },
    { name: 'by', title: t('sftp.by'), cell: (login) => <Ways login={login} /> },
    actionsColumn((login) => (
      <span class="row nowrap">
        {mayUse(['ssh_keys']) && (
          <Button
            isSmall
            label={t('sftp.addKeyOne', { login: login.login })}
            onClick={() => onOpen({ dialog: 'key', login })}
          >
            {t('sftp.addKey')}
          </Button>
        )}
        <IconButton
          icon="folder"
          label={t('sftp.moveOne', { login: login.login })}
          onClick={() => onOpen({ dialog: 'move', login })}
        />
        <IconButton
          icon="key"
          label={t('sftp.renewOne', { login: login.login })}
          onClick={() => onOpen({ dialog: 'password', login })}
        />
        <IconButton
          isBad
          icon="trash"
          label={t('sftp.removeOne', { login: login.login })}
          onClick={() => onOpen({ dialog: 'remove', login })}
        />
      </span>
    )),
  ];
  return (
    <Table caption={t('sftp.logins')} columns={columns} rows={logins} keyOf={({ login }) => login} sortedBy="login" />
  );
}

function LastLogin({ at, from }: { readonly at: string; readonly from: string | null }) {
  return (
    <span class="stack tight">
      <Time at={at} />
      <code class="small soft wrap">{from}</code>
    </span>
  );
}

function Ways({ login: { login, has_password: hasPassword, keys } }: { readonly login: Login }) {
  const remove = (id: number) =>
    attempt(async () => {
      await sendRemoval('DELETE /api/sftp/logins/:login/keys/:key', { params: { login, key: String(id) } });
      changed();
    });
  return (
    <div class="stack tight">
      {hasPassword && (
        <span>
          <Badge>{t('pages.password')}</Badge>
        </span>
      )}
      {keys.length > 0 && (
        <ul class="stack tight">
          {keys.map(({ key_id: id, fingerprint, comment, type }) => (
            <li key={id} class="row nowrap">
              <span class="wrap">
                {comment || type} <code class="small soft">{fingerprint}</code>
              </span>
              {mayUse(['ssh_keys']) && (
                <IconButton
                  icon="close"
                  label={t('sftp.removeKeyOne', { key: comment || fingerprint, login })}
                  onClick={() => remove(id)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
