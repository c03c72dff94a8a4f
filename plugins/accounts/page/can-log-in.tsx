import type { ComponentChildren } from 'preact';
import { ask, Badge, Button, errorText, t, Time, useQuery } from '../../pages/kit/index.ts';
import type { Account } from './account/account.ts';

interface Lock {
  readonly kind: 'account' | 'account_from_network' | 'account_in_known_network';
  /** `null` for a network, whose lock is of no account. */
  readonly username: string | null;
  readonly network: string | null;
  readonly until: string;
}
interface LockList {
  readonly locks: readonly Lock[];
  readonly truncated: boolean;
}

export interface Standing {
  /** Locks of the account; `undefined` until they are known. */
  readonly locks: readonly Lock[] | undefined;
  /** Whether the list of locks ends before it may come to those of the account. */
  readonly isPartial: boolean;
  readonly error: unknown;
}

/** Asks whether failed logins keep an account out. Locks are of another plugin, which may be off. */
export function useStanding(username: string): Standing {
  const { data, error } = useQuery('locks', () => ask<LockList>('GET', '/api/locks'));
  const locks = data?.locks.filter((lock) => lock.username === username);
  return { locks, isPartial: data?.truncated === true && locks?.length === 0, error };
}

interface StandingProps {
  readonly account: Account;
  readonly standing: Standing;
}

export function StateBadge({ account: { suspended }, standing: { locks } }: StandingProps) {
  if (suspended) return <Badge tone="bad">{t('accounts.suspended')}</Badge>;
  if ((locks?.length ?? 0) > 0) return <Badge tone="warn">{t('accounts.lockedOut')}</Badge>;
  return <Badge tone="good">{t('accounts.active')}</Badge>;
}

type Remedy = 'suspend' | 'unlock';

/** Says whether the account can log in; where not, why, with the button that ends it. */
export function CanLogIn({ account, standing, onRemedy }: StandingProps & { readonly onRemedy: (it: Remedy) => void }) {
  const { locks, isPartial, error } = standing;
  if (account.suspended)
    return (
      <Refused text={t('accounts.cannot.suspended')}>
        <Button isSmall onClick={() => onRemedy('suspend')}>
          {t('accounts.action.unsuspend')}
        </Button>
      </Refused>
    );
  if (locks === undefined)
    return <>{error === undefined ? '…' : t('accounts.canUnknown', { reason: errorText(error) })}</>;
  if (isPartial) return <>{t('accounts.canUnknown', { reason: t('accounts.manyLocks') })}</>;
  const [lock] = locks.toSorted((a, b) => b.until.localeCompare(a.until));
  if (lock === undefined) return <>{t('accounts.can')}</>;
  return (
    <Refused text={t(`accounts.cannot.${lock.kind}`, { network: lock.network ?? '' })} until={lock.until}>
      <Button isSmall onClick={() => onRemedy('unlock')}>
        {t('accounts.action.unlock')}
      </Button>
    </Refused>
  );
}

function Refused(props: { readonly text: string; readonly until?: string; readonly children: ComponentChildren }) {
  return (
    <span class="row">
      <span class="wrap">
        {props.text}
        {props.until !== undefined && (
          <>
            {` · ${t('accounts.again')} `}
            <Time at={props.until} isRelative />
          </>
        )}
      </span>
      {props.children}
    </span>
  );
}
