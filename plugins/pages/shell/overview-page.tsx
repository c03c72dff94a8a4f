import areas from 'hostkeep:areas/home';
import type { Widget } from '../kit/area.ts';
import { PageHead } from '../kit/card.tsx';
import { Empty } from '../kit/feedback.tsx';
import { t } from '../kit/text/i18n.ts';
import { mayUse, session } from '../kit/server/session.ts';
import { Together } from '../kit/together.tsx';
import { Guarded } from './guarded.tsx';
import { lazy } from './lazy.tsx';

const widgets = areas
  .flatMap((area): readonly Widget[] => area.widgets ?? [])
  .toSorted((a, b) => a.order - b.order)
  .map((widget) => ({ ...widget, View: lazy(widget.load) }));

export default function OverviewPage() {
  const shown = widgets.filter(({ features }) => mayUse(features));
  return (
    <>
      <PageHead title={t('pages.welcome', { name: session.value?.username ?? '' })} about={t('pages.overview.about')} />
      {shown.length === 0 && (
        <Empty icon="home" title={t('pages.overview.empty')}>
          {t('pages.overview.emptyAbout')}
        </Empty>
      )}
      <Together class="grid">
        {shown.map(({ name, isWide, View }) => (
          <div key={name} class={isWide === true ? 'wide' : undefined}>
            <Guarded>
              <View />
            </Guarded>
          </div>
        ))}
      </Together>
    </>
  );
}
