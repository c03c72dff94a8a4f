import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { allPages } from '../area.ts';
import { PageHead } from '../card.tsx';
import { mayOpen } from '../server/session.ts';
import { t } from '../text/i18n.ts';
import { at, pathAt } from './base-path.ts';

interface TabbedHeadProps {
  /** The path of the first page; the others are below it, of any area. */
  readonly of: string;
  readonly children?: ComponentChildren;
}

/** The head that several pages share, and tabs between them. */
export function TabbedHead({ of, children }: TabbedHeadProps) {
  const path = useLocation().path.replace(/\/+$/, '');
  const pages = allPages().filter((page) => page.path === of || page.path.startsWith(`${of}/`));
  const first = pages.find((page) => page.path === of);
  const title = first === undefined ? '' : t(first.title);
  const current = pages.find((page) => pathAt(page.path) === path);
  const tab = current && t(current.tab ?? current.title);
  return (
    <>
      <PageHead
        title={tab === undefined || tab === title ? title : `${title} · ${tab}`}
        {...(first?.about !== undefined && { about: t(first.about) })}
      >
        {children}
      </PageHead>
      <nav class="tabs" aria-label={title}>
        {pages
          .filter((page) => page === first || mayOpen(page.area, page.features))
          .map(({ path: to, ...page }) => (
            <a key={to} href={at(to)} aria-current={path === pathAt(to) ? 'page' : undefined}>
              {t(page.tab ?? page.title)}
            </a>
          ))}
      </nav>
    </>
  );
}
