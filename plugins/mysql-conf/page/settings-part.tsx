import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import {
  actionsColumn,
  Answer,
  api,
  Button,
  Card,
  number,
  t,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { CollationDialog, type TextSettings } from './collation-dialog.tsx';
import { LIMITS, LimitsDialog, type UserSettings } from './limits-dialog.tsx';

type Settings = ReplyOf<'GET /api/database-settings'>;
type Asked = { readonly database: TextSettings } | { readonly user: UserSettings } | undefined;

/** The settings of an account's databases and their users; nothing where databases are not managed. */
export default function SettingsPart() {
  const settings = useQuery('database-settings', (signal) => api('GET /api/database-settings', { signal }));
  const asked = useSignal<Asked>(undefined);
  const close = () => void (asked.value = undefined);
  const { data } = settings;
  if (data !== undefined && !data.is_managed) return null;
  return (
    <div class="stack">
      {data !== undefined && data.databases.length + data.users.length === 0 ? null : (
        <Card title={t('mysql-conf.title')} isFlush>
          <Answer of={settings} lines={4}>
            {({ databases, users }) => (
              <>
                {databases.length > 0 && (
                  <Table
                    caption={t('mysql-conf.texts')}
                    columns={textColumns((database) => (asked.value = { database }))}
                    rows={databases}
                    keyOf={({ name }) => name}
                    sortedBy="name"
                  />
                )}
                {users.length > 0 && (
                  <Table
                    caption={t('mysql-conf.limits')}
                    columns={userColumns((user) => (asked.value = { user }))}
                    rows={users}
                    keyOf={({ name, host }) => `${name}@${host}`}
                    sortedBy="name"
                  />
                )}
              </>
            )}
          </Answer>
        </Card>
      )}
      {data !== undefined && <ServerValues of={data.server} />}
      {asked.value !== undefined && 'database' in asked.value && (
        <CollationDialog database={asked.value.database} onClose={close} />
      )}
      {asked.value !== undefined && 'user' in asked.value && data !== undefined && (
        <LimitsDialog user={asked.value.user} most={data.connections_limit} onClose={close} />
      )}
    </div>
  );
}

function ServerValues({ of: values }: { readonly of: Settings['server'] }) {
  return (
    <Card>
      <details>
        <summary>{t('mysql-conf.server')}</summary>
        <p class="small soft">{t('mysql-conf.serverAbout')}</p>
        <dl class="facts">
          {values.map(({ name, value }) => (
            <Fragment key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd class="wrap">{value === '' ? '–' : value.replaceAll(',', ', ')}</dd>
            </Fragment>
          ))}
        </dl>
      </details>
    </Card>
  );
}

function textColumns(ask: (database: TextSettings) => void): readonly Column<TextSettings>[] {
  return [
    {
      name: 'name',
      title: t('pages.db.database'),
      by: ({ name }) => name,
      cell: ({ name }) => <code class="wrap">{name}</code>,
    },
    {
      name: 'collation',
      title: t('mysql-conf.texts'),
      cell: ({ character_set: set, collation }) => (
        <span class="wrap soft">
          {set}, {collation}
        </span>
      ),
    },
    actionsColumn((database) => (
      <Button
        isSmall
        icon="edit"
        label={t('mysql-conf.collationOne', { name: database.name })}
        onClick={() => ask(database)}
      >
        {t('mysql-conf.change')}
      </Button>
    )),
  ];
}

function userColumns(ask: (user: UserSettings) => void): readonly Column<UserSettings>[] {
  return [
    {
      name: 'name',
      title: t('pages.db.user'),
      by: ({ name }) => name,
      cell: ({ name, host }) => (
        <span class="stack tight">
          <code class="wrap">{name}</code>
          <span class="small soft">{t('pages.db.from', { host })}</span>
        </span>
      ),
    },
    { name: 'limits', title: t('mysql-conf.limits'), cell: ({ limits }) => <Limits of={limits} /> },
    actionsColumn((user) => (
      <Button isSmall icon="edit" label={t('mysql-conf.limitsOne', { name: user.name })} onClick={() => ask(user)}>
        {t('mysql-conf.change')}
      </Button>
    )),
  ];
}

function Limits({ of: limits }: { readonly of: UserSettings['limits'] }) {
  const set = LIMITS.filter((name) => limits[name] !== 0);
  if (set.length === 0) return <span class="soft">{t('mysql-conf.none')}</span>;
  return (
    <ul class="stack tight">
      {set.map((name) => (
        <li key={name} class="wrap">
          {t(`mysql-conf.limit.${name}`)}: {number(limits[name])}
        </li>
      ))}
    </ul>
  );
}
