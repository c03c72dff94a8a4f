import {
  Answer,
  api,
  Card,
  countryName,
  t,
  Table,
  timeColumn,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Login = ReplyOf<'GET /api/account/login-history'>[number];

export function LoginsCard() {
  const logins = useQuery('logins', (signal) => api('GET /api/account/login-history', { signal }));
  const columns: readonly Column<Login>[] = [
    timeColumn('at', t('profile.time'), (row) => row.login_time),
    {
      name: 'ip',
      title: t('profile.address'),
      by: (row) => row.ip,
      cell: (row) => <span class="number wrap">{row.ip}</span>,
    },
    {
      name: 'country',
      title: t('profile.country'),
      by: (row) => row.country_code,
      cell: (row) => countryName(row.country_code),
    },
  ];
  return (
    <Card title={t('profile.logins')} isFlush>
      <Answer of={logins}>
        {(rows) => (
          <Table
            caption={t('profile.logins')}
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
