import { PageHead } from '../kit/card.tsx';
import { Empty } from '../kit/feedback.tsx';
import { hasParts, Parts } from '../kit/parts.tsx';
import { session } from '../kit/server/session.ts';
import { t } from '../kit/text/i18n.ts';
import { Together } from '../kit/together.tsx';

export default function OverviewPage() {
  return (
    <>
      <PageHead title={t('pages.welcome', { name: session.value?.username ?? '' })} about={t('pages.overview.about')} />
      {!hasParts('/') && (
        <Empty icon="home" title={t('pages.overview.empty')}>
          {t('pages.overview.emptyAbout')}
        </Empty>
      )}
      <Together class="grid">
        <Parts of="/" />
      </Together>
    </>
  );
}
