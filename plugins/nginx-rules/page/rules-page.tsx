import { api, Panel, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { RulesDialog } from './rules-dialog.tsx';

const countOf = (rules: string) => rules.split('\n').filter((line) => line.trim() !== '').length;

export default function RulesPage() {
  const rules = useQuery('nginx-rules', (signal) => api('GET /api/nginx-rules', { signal }));
  return (
    <SitesPage
      title={t('nginx-rules.title')}
      about={t('nginx-rules.about')}
      icon="servers"
      of={rules}
      columns={[
        {
          name: 'rules',
          title: t('nginx-rules.lines'),
          cell: ({ rules: text }) =>
            text.trim() === '' ? t('nginx-rules.none') : t('nginx-rules.count', { count: countOf(text) }),
        },
      ]}
      buttons={[
        {
          icon: 'edit',
          label: (name) => t('nginx-rules.edit', { name }),
          opens: (site, onClose, all) => <RulesDialog rules={all} site={site} onClose={onClose} />,
        },
      ]}
    >
      {rules.data?.offered === false && <Panel icon="warn" title={t('nginx-rules.notOffered')} />}
    </SitesPage>
  );
}
