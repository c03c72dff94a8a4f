import { Panel, Skeleton, t } from '../../pages/kit/index.ts';
import { useDashboard } from './dashboard-query.ts';

/** Shows the operator's message to every customer. */
export default function Message() {
  const { data, error } = useDashboard();
  if (data === undefined && error === undefined) return <Skeleton />;
  const message = data?.custom_message ?? null;
  if (message === null || message === '') return null;
  return (
    <Panel kind="accent" icon="bell" title={t('dashboard.message')}>
      <p class="wrap">{message}</p>
    </Panel>
  );
}
