import { mayUse, PageHead, session, t, Tabs } from '../../pages/kit/index.ts';

/** The head of the pages of an account, and the way between them. */
export function AccountHead() {
  const tabs = [
    { tab: ['/account', t('account.security')], isShown: true },
    { tab: ['/account/sessions', t('account.sessions')], isShown: mayUse(['sessions', 'login_history']) },
    { tab: ['/account/tokens', t('account.tokens')], isShown: mayUse(['account']) },
    { tab: ['/account/activity', t('account.activity')], isShown: isCustomer() && mayUse(['activity']) },
  ] as const;
  return (
    <>
      <PageHead title={t('account.title')} about={t('account.about')} />
      <Tabs label={t('account.title')} of={tabs.filter(({ isShown }) => isShown).map(({ tab }) => tab)} />
    </>
  );
}

/** Administrators have their password, second factor, sessions and API tokens; the rest belongs to customers. */
export function isCustomer(): boolean {
  return session.value?.role === 'user';
}
