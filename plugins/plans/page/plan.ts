import { api, bySize, type ReplyOf } from '../../pages/kit/index.ts';

export type Plans = ReplyOf<'GET /api/plans'>;
export type Plan = Plans['plans'][number];

/** Resolves with all plans, from the smallest to the largest. */
export async function readPlans(signal: AbortSignal): Promise<Plans> {
  const { plans, ...rest } = await api('GET /api/plans', { query: { limit: 500 }, signal });
  return { plans: plans.toSorted(bySize(rest.limits)), ...rest };
}
