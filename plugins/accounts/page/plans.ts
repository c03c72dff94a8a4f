import { ask, type Plan } from '../../pages/kit/index.ts';

interface Feature {
  readonly name: string;
  readonly title: string;
}

/** Resolves with the plans. */
export const readPlans = (): Promise<{ readonly plans: readonly Plan[] }> => ask('GET', '/api/plans?limit=500');

/** Resolves with the features that plans and accounts can have. */
export const readFeatures = (): Promise<{ readonly features: readonly Feature[] }> => ask('GET', '/api/features');
