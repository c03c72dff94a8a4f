import { t, Time, type ReplyOf } from '../../pages/kit/index.ts';

export type AccountEvent = ReplyOf<'GET /api/account/events'>['events'][number];

export function ActivityLine({ event: { at, ip, summary } }: { readonly event: AccountEvent }) {
  return (
    <li>
      <span class="small soft number">
        <Time at={at} />
      </span>
      <span class="wrap">{summary}</span>
      <span class="small soft number wrap">{ip === '' ? t('profile.onServer') : ip}</span>
    </li>
  );
}
