import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { OptionValues } from '../../../kernel/contract/command.ts';

/** The plan that the options name, `null` for `--no-plan`. */
export function planOption({ plan }: OptionValues): { plan?: string | null } {
  return plan === false ? { plan: null } : typeof plan === 'string' ? { plan } : {};
}

export function describe({
  username,
  role,
  email,
  plan,
  suspended,
  locale,
  overrides,
  features,
  createdAt,
  home,
}: Account) {
  return {
    username,
    role,
    email,
    plan: plan?.name ?? null,
    suspended,
    locale,
    overrides,
    features: [...features].toSorted(),
    created_at: new Date(createdAt).toISOString(),
    node: home === '' ? null : home,
  };
}
