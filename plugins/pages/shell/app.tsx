import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { at } from '../kit/place/base-path.ts';
import { pageAt } from '../kit/place/page-at.ts';
import { shownNode } from '../kit/place/node.ts';
import { allPages } from '../kit/area.ts';
import { Button } from '../kit/button.tsx';
import { Guarded } from '../kit/guarded.tsx';
import { lazy } from '../kit/lazy.tsx';
import { Empty } from '../kit/feedback.tsx';
import { t } from '../kit/text/i18n.ts';
import { hasEnded, mayOpen, session } from '../kit/server/session.ts';
import { ProofDialog } from '../kit/form/proof.tsx';
import { openDialogs, withdrawn } from '../kit/form/withdrawn.ts';
import { Toasts } from '../kit/toasts.tsx';
import type { Application, ShownPage } from './application.ts';
import { Bar } from './bar/bar.tsx';
import { Guest } from './login/guest.tsx';
import { LoginDialog } from './login/login.tsx';
import { Navigation } from './navigation.tsx';
import { OfNode } from './of-node.tsx';
import { SessionNotice } from './login/session-notice.tsx';

export function App({ name }: Application) {
  const pages = useMemo(() => allPages().map((page) => ({ ...page, View: lazy(page.path, page.load) })), []);
  const { path } = useLocation();
  if (session.value == null)
    return (
      <>
        <Guest
          application={name}
          page={pageAt(
            pages.filter(({ isPublic }) => isPublic === true),
            path,
          )}
        />
        <Toasts />
      </>
    );
  const usable = pages.filter(({ area, features }) => mayOpen(area, features));
  return (
    <>
      <Frame application={name} pages={usable} all={pages} />
      {hasEnded.value && <LoginDialog isEnded onClose={() => undefined} />}
      <ProofDialog />
      <Toasts />
    </>
  );
}

interface FrameProps {
  readonly application: Application['name'];
  /** The pages that the account may open. */
  readonly pages: readonly ShownPage[];
  readonly all: readonly ShownPage[];
}

function Frame(props: FrameProps) {
  const { path } = useLocation();
  const isOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const usable = pageAt(props.pages, path);
  const known = usable ?? pageAt(props.all, path);
  const last = useRef<ShownPage | undefined>(undefined);
  // With a dialog over it, a page whose feature goes stays until that is closed: what was typed there can be copied.
  const isWithdrawn = usable === undefined && known !== undefined && last.current === known && openDialogs.value > 0;
  const page = isWithdrawn ? known : usable;
  useLayoutEffect(() => {
    last.current = page;
    withdrawn.value = isWithdrawn ? t(known.title) : undefined;
  });
  useEffect(() => {
    const node = page?.isOfNode === true ? shownNode() : '';
    document.title = [t((page ?? known)?.title ?? 'pages.notFound'), node, 'Hostkeep'].filter(Boolean).join(' · ');
  });
  const isFirst = useRef(true);
  useEffect(() => {
    isOpen.value = false;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {t('pages.skip')}
      </a>
      <Navigation application={props.application} pages={props.pages} current={page} isOpen={isOpen} />
      <div>
        <Bar pages={props.pages} current={page} onMenu={() => (isOpen.value = true)} isMenuOpen={isOpen.value} />
        <SessionNotice />
        <main id="main" class="content" tabIndex={-1} ref={main} data-page={page?.path}>
          {page === undefined ? (
            <NotFound application={props.application} page={known} />
          ) : (
            <Guarded key={page.isOfNode === true ? `${page.path} ${shownNode()}` : page.path}>
              {page.isOfNode === true ? <OfNode page={page} /> : <page.View />}
            </Guarded>
          )}
        </main>
      </div>
    </div>
  );
}

interface NotFoundProps {
  readonly application: Application['name'];
  /** The page of this place, if the account may not open it. */
  readonly page: ShownPage | undefined;
}

function NotFound({ application, page }: NotFoundProps) {
  const { route } = useLocation();
  const title = page === undefined ? t('pages.notFound') : t('pages.switchedOff', { title: t(page.title) });
  const about = application === 'home' ? 'pages.notFoundAbout' : 'pages.notFoundInConsole';
  return (
    <>
      <h1 class="sr-only">{title}</h1>
      <Empty
        icon={page === undefined ? 'search' : 'lock'}
        title={title}
        action={<Button onClick={() => route(at('/'))}>{t('pages.toStart')}</Button>}
      >
        {t(page === undefined ? about : 'pages.switchedOffAbout')}
      </Empty>
    </>
  );
}
