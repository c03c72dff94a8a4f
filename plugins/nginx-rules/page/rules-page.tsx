import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Card,
  IconButton,
  PageHead,
  Panel,
  SitesTable,
  t,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { RulesDialog } from './rules-dialog.tsx';

export type Rules = ReplyOf<'GET /api/nginx-rules'>;
type Site = Rules['sites'][number];

export default function RulesPage() {
  const opened = useSignal<string | undefined>(undefined);
  const rules = useQuery('nginx-rules', (signal) => api('GET /api/nginx-rules', { signal }));
  const site = rules.data?.sites.find(({ domain_url: name }) => name === opened.value);
  return (
    <>
      <PageHead title={t('nginx-rules.title')} about={t('nginx-rules.about')} />
      {rules.data?.offered === false && <Panel icon="warn" title={t('nginx-rules.notOffered')} />}
      <Card isFlush>
        <Answer of={rules} lines={5}>
          {({ sites }) => <SiteTable sites={sites} onOpen={(name) => (opened.value = name)} />}
        </Answer>
      </Card>
      {rules.data !== undefined && site !== undefined && (
        <RulesDialog rules={rules.data} site={site} onClose={() => (opened.value = undefined)} />
      )}
    </>
  );
}

interface TableProps {
  readonly sites: readonly Site[];
  readonly onOpen: (name: string) => void;
}

const countOf = (rules: string) => rules.split('\n').filter((line) => line.trim() !== '').length;

function SiteTable({ sites, onOpen }: TableProps) {
  const columns: readonly Column<Site>[] = [
    {
      name: 'rules',
      title: t('nginx-rules.lines'),
      cell: ({ rules }) =>
        rules.trim() === '' ? t('nginx-rules.none') : t('nginx-rules.count', { count: countOf(rules) }),
    },
  ];
  return (
    <SitesTable
      caption={t('nginx-rules.title')}
      icon="servers"
      sites={sites}
      columns={columns}
      buttons={({ domain_url: name }) => (
        <IconButton icon="edit" label={t('nginx-rules.edit', { name: toUnicode(name) })} onClick={() => onOpen(name)} />
      )}
    />
  );
}
