import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  ofNode,
  t,
  TabbedHead,
  Table,
  Time,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { Remedied } from './remedied.tsx';

type Finding = ReplyOf<'GET /api/doctor'>['findings'][number];
const TONES = { ok: 'good', untried: undefined, warn: 'warn', missing: 'bad' } as const;
const WORST_FIRST = { missing: 0, warn: 1, untried: 2, ok: 3 } as const;

/** Proves that the server has what it needs, as the command line does, and says how to mend what it lacks. */
export default function DoctorPage() {
  const report = useQuery('doctor', (signal) => api('GET /api/doctor', { query: ofNode(), signal }));
  const columns: readonly Column<Finding>[] = [
    {
      name: 'state',
      title: t('operations.state'),
      by: ({ state }) => WORST_FIRST[state],
      cell: ({ state }) => <Badge tone={TONES[state]}>{t(`operations.finding.${state}`)}</Badge>,
    },
    {
      name: 'what',
      title: t('operations.checked'),
      by: ({ plugin, name }) => `${plugin} ${name}`,
      cell: ({ plugin, name }) => (
        <span class="wrap">
          <strong>{plugin}</strong> · {name}
        </span>
      ),
    },
    {
      name: 'found',
      title: t('operations.found'),
      cell: ({ detail, remedy }) => <Remedied text={detail} remedy={remedy} />,
    },
  ];
  return (
    <>
      <TabbedHead of="/plugins">
        <Button icon="refresh" isBusy={report.isLoading} onClick={report.reload}>
          {t('operations.examineAgain')}
        </Button>
      </TabbedHead>
      <Card
        title={t('operations.doctor')}
        isFlush
        end={
          report.data && (
            <span class="row small soft">
              <Summary findings={report.data.findings} /> <Time at={report.data.at} isRelative />
            </span>
          )
        }
      >
        <Answer of={report} lines={10}>
          {({ findings }) => (
            <Table
              caption={t('operations.doctor')}
              columns={columns}
              rows={findings}
              keyOf={({ plugin, name, detail }) => `${plugin} ${name} ${detail}`}
              sortedBy="state"
            />
          )}
        </Answer>
      </Card>
    </>
  );
}

function Summary({ findings }: { readonly findings: readonly Finding[] }) {
  const texts = (['ok', 'untried', 'warn', 'missing'] as const).flatMap((wanted) => {
    const n = findings.filter(({ state }) => state === wanted).length;
    return n === 0 ? [] : [t(`operations.findings.${wanted}`, { n })];
  });
  return <>{texts.join(' · ')} ·</>;
}
