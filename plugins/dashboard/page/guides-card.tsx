import { Card, Icon, t } from '../../pages/kit/index.ts';
import { useDashboard } from './dashboard-query.ts';

export default function GuidesCard() {
  const { data } = useDashboard();
  if (data === undefined || data.how_to_guides === 'no') return null;
  const links = [
    ...data.how_to_topics,
    ...(data.knowledge_base_link === '' ? [] : [{ link: data.knowledge_base_link, title: t('dashboard.allGuides') }]),
  ].filter(({ link }) => /^https?:\/\//.test(link));
  if (links.length === 0) return null;
  return (
    <Card title={t('dashboard.guides')}>
      <ul class="stack tight">
        {links.map(({ link, title }) => (
          <li key={link} class="row nowrap">
            <Icon name="book" />
            <a class="wrap" href={link} target="_blank" rel="noopener noreferrer">
              {title}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
