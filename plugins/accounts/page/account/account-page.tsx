import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import {
  Answer,
  api,
  at,
  Badge,
  Button,
  Card,
  linkTo,
  PageHead,
  Parts,
  pathAt,
  t,
  Time,
  useQuery,
} from '../../../pages/kit/index.ts';
import type { Account } from './account.ts';
import { AccountDialogs, type AccountAction } from '../account-dialogs.tsx';
import { AccountFeatures } from './account-features.tsx';
import { AccountSessions } from './account-sessions.tsx';
import { AccountTokens } from './account-tokens.tsx';
import { languageName } from '../details-dialog.tsx';
import { CanLogIn, StateBadge, useStanding } from '../can-log-in.tsx';
import { AccountActivity, AccountUsage } from './account-things.tsx';

/** Everything that an administrator does with one account. */
export default function AccountPage() {
  const { path } = useLocation();
  const username = decodeURIComponent(path.split('/').findLast((part) => part !== '') ?? '');
  const account = useQuery(`account ${username}`, (signal) =>
    api('GET /api/accounts/:username', { params: { username }, signal }),
  );
  const action = useSignal<AccountAction | undefined>(undefined);
  return (
    <>
      <PageHead title={username} about={t('accounts.accountAbout')}>
        <a class="button" href={at('/accounts')}>
          {t('accounts.allAccounts')}
        </a>
      </PageHead>
      <Answer of={account} lines={6}>
        {(data) => (
          <div class="stack">
            <div class="grid halves">
              <div class="stack">
                <Summary account={data} onAction={(next) => void (action.value = next)} />
                {data.role === 'user' && <Parts of="/accounts/open" />}
                <AccountSessions username={username} />
                <AccountTokens username={username} />
              </div>
              <div class="stack">
                {data.role === 'user' && <AccountUsage username={username} />}
                <AccountActivity username={username} />
              </div>
            </div>
            {data.role === 'user' && <AccountFeatures account={data} onChanged={account.set} />}
            {action.value && (
              <AccountDialogs account={data} action={action.value} onClose={() => void (action.value = undefined)} />
            )}
          </div>
        )}
      </Answer>
    </>
  );
}

const ACTIONS: readonly AccountAction[] = ['open', 'edit', 'plan', 'password', 'twofa', 'unlock'];
/** Actions that make no sense for administrators, who have no plan and no home. */
const OF_USERS: readonly AccountAction[] = ['open', 'plan'];

function Summary({
  account,
  onAction,
}: {
  readonly account: Account;
  readonly onAction: (action: AccountAction) => void;
}) {
  const { role, suspended, plan, email, locale, node } = account;
  const standing = useStanding(account.username);
  return (
    <Card title={t('accounts.summary')} end={<StateBadge account={account} standing={standing} />}>
      <div class="stack">
        <dl class="facts">
          <dt>{t('accounts.canLogIn')}</dt>
          <dd>
            <CanLogIn account={account} standing={standing} onRemedy={onAction} />
          </dd>
          <dt>{t('accounts.plan')}</dt>
          <dd>
            {role === 'admin' ? <Badge tone="accent">{t('accounts.admin')}</Badge> : (plan ?? t('accounts.noPlan'))}
          </dd>
          <dt>{t('accounts.email')}</dt>
          <dd class="wrap">{email === '' ? '–' : email}</dd>
          <dt>{t('pages.language')}</dt>
          <dd>{languageName(locale)}</dd>
          <dt>{t('accounts.created')}</dt>
          <dd>
            <Time at={account.created_at} />
          </dd>
          {node !== null && (
            <>
              <dt>{t('pages.node')}</dt>
              <dd>
                <a class="wrap" href={linkTo(pathAt('/'), node)}>
                  {node}
                </a>
              </dd>
            </>
          )}
        </dl>
        <div class="row">
          {ACTIONS.filter((each) => role === 'user' || !OF_USERS.includes(each)).map((each) => (
            <Button key={each} isSmall onClick={() => onAction(each)}>
              {t(`accounts.action.${each as 'plan'}`)}
            </Button>
          ))}
          <Button isSmall onClick={() => onAction('suspend')}>
            {t(suspended ? 'accounts.unsuspend' : 'accounts.suspend')}
          </Button>
          <Button isSmall kind="plain" isBad icon="trash" onClick={() => onAction('remove')}>
            {t('accounts.action.remove')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
