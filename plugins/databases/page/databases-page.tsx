import {
  Answer,
  api,
  bytes,
  Card,
  Empty,
  PageHead,
  percent,
  t,
  Table,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';

/** Without a server, databases are SQLite files, by their names in the account's folder. */
const FILE = /\.(sqlite3?|db)$/i;

interface Database {
  readonly name: string;
  readonly sizeBytes: number;
  /** Of all databases, in percent. */
  readonly share: number;
}

export default function DatabasesPage() {
  const sizes = useQuery('databases', (signal) => api('GET /api/mysql-size', { query: { unit: 'bytes' }, signal }));
  return (
    <>
      <PageHead title={t('databases.title')} about={t('databases.about')} />
      <Card isFlush>
        <Answer of={sizes} lines={5}>
          {(rows) => {
            const all = rows.map((row) => ({ name: row.Database, sizeBytes: row['Size (BYTES)'] ?? 0 }));
            const total = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
            const shares = all.map((each) => ({ ...each, share: total === 0 ? 0 : (each.sizeBytes / total) * 100 }));
            return <Databases rows={shares} total={total} />;
          }}
        </Answer>
      </Card>
    </>
  );
}

function Databases({ rows, total }: { readonly rows: readonly Database[]; readonly total: number }) {
  if (rows.length === 0)
    return (
      <Empty icon="database" title={t('databases.none')}>
        {t('databases.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Database>[] = [
    {
      name: 'name',
      title: t('databases.name'),
      by: ({ name }) => name,
      cell: ({ name }) => (
        <>
          <span class="wrap">{name}</span>
          {FILE.test(name) && <div class="small soft">{t('databases.file')}</div>}
        </>
      ),
    },
    {
      name: 'size',
      title: t('databases.size'),
      isEnd: true,
      by: ({ sizeBytes }) => sizeBytes,
      cell: ({ sizeBytes }) => bytes(sizeBytes),
    },
    {
      name: 'share',
      title: t('databases.share'),
      by: ({ share }) => share,
      cell: ({ share }) => (
        <div class="meter-line">
          <span class="small soft number">{percent(share)}</span>
          <div class="meter" aria-hidden="true">
            <div style={{ width: `${share}%` }} />
          </div>
        </div>
      ),
    },
  ];
  return (
    <>
      <div class="card-head">
        <span>{t('databases.count', { n: rows.length })}</span>
        <strong class="number">{bytes(total)}</strong>
      </div>
      <Table
        caption={t('databases.title')}
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        sortedBy="size"
        isDescending
      />
    </>
  );
}
