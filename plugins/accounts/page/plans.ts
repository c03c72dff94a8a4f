import { ApiError, ask, bySize, type Limit, type Plan } from '../../pages/kit/index.ts';

interface Feature {
  readonly name: string;
  readonly title: string;
  /** Whether anything on the server provides it; what nothing does, cannot be given. */
  readonly provided: boolean;
}

export interface PlanList {
  /** From the smallest to the largest. */
  readonly plans: readonly Plan[];
  readonly limits: readonly Limit[];
  /** Number of accounts by plan. */
  readonly accounts: Readonly<Record<string, number>>;
}

/** Resolves with the plans; with none on a server whose plugin of plans is off. */
export async function readPlans(): Promise<PlanList> {
  try {
    const { plans, ...rest } = await ask<PlanList>('GET', '/api/plans?limit=500');
    return { plans: plans.toSorted(bySize(rest.limits)), ...rest };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return { plans: [], limits: [], accounts: {} };
    throw error;
  }
}

/** Returns the plan that a new account gets unless another is chosen: the one of most accounts, or else the smallest. */
export function usualPlan({ plans, accounts }: PlanList): string {
  const [first, ...others] = plans.map(({ name }) => name);
  const most = (one: string, other: string) => ((accounts[other] ?? 0) > (accounts[one] ?? 0) ? other : one);
  return others.reduce(most, first ?? '');
}

/** Resolves with the features that plans and accounts can have. */
export const readFeatures = (): Promise<{ readonly features: readonly Feature[] }> => ask('GET', '/api/features');
