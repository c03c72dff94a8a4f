import { useLocation } from 'preact-iso/router';
import { at, mayUse, PageHead, session, t } from '../../pages/kit/index.ts';

/** The head of the pages of an account, and the way between them. */
export function AccountHead() {
  const { path } = useLocation();
  const tabs = [
    { path: '/account', title: t('account.security'), isShown: true },
    { path: '/account/sessions', title: t('account.sessions'), isShown: mayUse(['sessions', 'login_history']) },
    { path: '/account/activity', title: t('account.activity'), isShown: isCustomer() && mayUse(['activity']) },
  ].filter(({ isShown }) => isShown);
  return (
    <>
      <PageHead title={t('account.title')} about={t('account.about')} />
      <nav class="tabs" aria-label={t('account.title')}>
        {tabs.map((tab) => (
          <a
            key={tab.path}
            href={at(tab.path)}
            aria-current={at(tab.path) === path.replace(/\/+$/, '') ? 'page' : undefined}
          >
            {tab.title}
          </a>
        ))}
      </nav>
    </>
  );
}

/** Administrators have their password, second factor and sessions; the rest belongs to customers. */
export function isCustomer(): boolean {
  return session.value?.role === 'user';
}
