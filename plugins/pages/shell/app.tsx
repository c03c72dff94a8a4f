import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { at, pathAt } from '../kit/place/base-path.ts';
import { shownNode } from '../kit/place/node.ts';
import { allPages } from '../kit/area.ts';
import { Button } from '../kit/button.tsx';
import { Guarded } from '../kit/guarded.tsx';
import { lazy } from '../kit/lazy.tsx';
import { Empty } from '../kit/feedback.tsx';
import { t } from '../kit/text/i18n.ts';
import { hasEnded, mayUse, session } from '../kit/server/session.ts';
import { ProofDialog } from '../kit/form/proof.tsx';
import { Toasts } from '../kit/toasts.tsx';
import type { Application, ShownPage } from './application.ts';
import { Bar } from './bar/bar.tsx';
import { Guest } from './login/guest.tsx';
import { LoginDialog } from './login/login.tsx';
import { Navigation } from './navigation.tsx';
import { OfNode } from './of-node.tsx';
import { SessionNotice } from './login/session-notice.tsx';

export function App({ name }: Application) {
  const pages = useMemo(() => allPages().map((page) => ({ ...page, View: lazy(page.load) })), []);
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
  const usable = pages.filter(({ features }) => mayUse(features));
  return (
    <>
      <Frame application={name} pages={usable} />
      {hasEnded.value && <LoginDialog isEnded onClose={() => undefined} />}
      <ProofDialog />
      <Toasts />
    </>
  );
}

function Frame(props: { readonly application: Application['name']; readonly pages: readonly ShownPage[] }) {
  const { path } = useLocation();
  const isOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const page = pageAt(props.pages, path);
  useEffect(() => {
    const node = page?.isOfNode === true ? shownNode() : '';
    document.title = [t(page?.title ?? 'pages.notFound'), node, 'Hostkeep'].filter(Boolean).join(' · ');
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
        <main id="main" class="content" tabIndex={-1} ref={main}>
          {page === undefined ? (
            <NotFound application={props.application} />
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

function pageAt(pages: readonly ShownPage[], path: string): ShownPage | undefined {
  const asked = path.replace(/\/+$/, '');
  return pages.find(
    (each) => pathAt(each.path) === asked || (each.below === true && asked.startsWith(`${pathAt(each.path)}/`)),
  );
}

function NotFound({ application }: { readonly application: Application['name'] }) {
  const { route } = useLocation();
  return (
    <>
      <h1 class="sr-only">{t('pages.notFound')}</h1>
      <Empty
        icon="search"
        title={t('pages.notFound')}
        action={<Button onClick={() => route(at('/'))}>{t('pages.toStart')}</Button>}
      >
        {t(application === 'home' ? 'pages.notFoundAbout' : 'pages.notFoundInConsole')}
      </Empty>
    </>
  );
}
