import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  at,
  bytes,
  Card,
  Choices,
  Empty,
  number,
  ofNode,
  percent,
  t,
  Table,
  useQuery,
  useRefresh,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Customer = ReplyOf<'GET /api/usage/accounts'>['accounts'][number];
const FIGURES = ['cpu_percent', 'memory_bytes', 'disk_kib', 'inodes'] as const;
type Figure = (typeof FIGURES)[number];
/** About as often as the server samples them. */
const REFRESH_MS = 10_000;
const SHOWN = 10;

const TEXTS: Readonly<Record<Figure, (row: Customer) => string>> = {
  cpu_percent: (row) => known(row.cpu_percent, percent),
  memory_bytes: (row) => known(row.memory_bytes, bytes),
  disk_kib: (row) => known(row.disk_kib.used, (kib) => bytes(kib * 1024)),
  inodes: (row) => known(row.inodes.used, number),
};

/** The customers that use most of this node. */
export function CustomersCard() {
  const figure = useSignal<Figure>('cpu_percent');
  const page = useQuery(`customers ${figure.value}`, (signal) =>
    api('GET /api/usage/accounts', { query: { sort: `-${figure.value}`, limit: SHOWN, ...ofNode() }, signal }),
  );
  useRefresh(page, REFRESH_MS);
  const columns: readonly Column<Customer>[] = [
    {
      name: 'username',
      title: t('pages.username'),
      cell: ({ username }) => <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a>,
    },
    ...FIGURES.map((name) => ({
      name,
      title: t(`usage.figure.${name}`),
      isEnd: true,
      cell: TEXTS[name],
    })),
  ];
  return (
    <Card
      title={t('usage.customers')}
      isFlush
      end={
        <Choices
          label={t('usage.figure')}
          value={figure.value}
          of={FIGURES.map((each) => [each, t(`usage.figure.${each}`)] as const)}
          onChange={(next) => (figure.value = next)}
        />
      }
    >
      <Answer of={page} lines={5}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty icon="users" title={t('usage.noCustomers')} />
          ) : (
            <Table caption={t('usage.customers')} columns={columns} rows={accounts} keyOf={({ user_id: id }) => id} />
          )
        }
      </Answer>
    </Card>
  );
}

const known = (value: number | null, text: (value: number) => string): string => (value === null ? '–' : text(value));
