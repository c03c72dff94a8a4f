import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AreaPage } from '../kit/area.ts';
import { at } from '../kit/place/base-path.ts';
import { Icon } from '../kit/icon.tsx';
import { t } from '../kit/text/i18n.ts';
import { session } from '../kit/server/session.ts';

export function Mark() {
  return (
    <span class="mark" aria-hidden="true">
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      >
        <path d="M4 3.500v11M14 3.500v11M4 9h10" />
      </svg>
    </span>
  );
}

interface NavigationProps {
  readonly application: 'home' | 'console';
  readonly pages: readonly AreaPage[];
  readonly current: AreaPage | undefined;
  readonly isOpen: Signal<boolean>;
}

export function Navigation({ application, pages, current, isOpen }: NavigationProps) {
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && (isOpen.value = false);
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  return (
    <>
      {isOpen.value && (
        <button type="button" class="scrim" aria-label={t('pages.closeMenu')} onClick={() => (isOpen.value = false)} />
      )}
      <nav class="side" data-open={isOpen.value} aria-label={t('pages.navigation')}>
        <a class="brand" href={at('/')}>
          <Mark /> {t(`pages.${application}`)}
        </a>
        <div class="nav">
          {pages
            .filter(({ isHidden }) => (typeof isHidden === 'function' ? !isHidden() : isHidden !== true))
            .map((page) => (
              <a key={page.path} href={at(page.path)} aria-current={page.path === current?.path ? 'page' : undefined}>
                <Icon name={page.icon} />
                {t(page.title)}
              </a>
            ))}
        </div>
        <p class="side-end small soft">Hostkeep {session.value?.version}</p>
      </nav>
    </>
  );
}
