import { ErrorPanel, t } from '../../pages/kit/index.ts';
import { isOff, useRemoved } from './list.ts';

/** Says before an account is removed how long its backups stay. */
export default function StaysPart() {
  const { data, error, reload } = useRemoved();
  if (error !== undefined && !isOff(error)) return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return null;
  return (
    <p class="small soft">{t(data.days === 0 ? 'removed-accounts.go' : 'removed-accounts.stay', { n: data.days })}</p>
  );
}
