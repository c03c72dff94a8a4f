import type { PluginRows } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';

const rows: PluginRows = {
  walk: {
    createPlan: () => ({
      body: { name: 'starter', description: 'For a first site', limits: { domains_limit: 2 }, features: ['domains'] },
    }),
    updatePlan: () => ({ path: '/api/plans/starter', body: { limits: { cpu_limit: 1.5 } } }),
    plan: () => ({ path: '/api/plans/starter' }),
    switchOn: () => ({ path: '/api/plans/starter/features/waf' }),
    switchOff: () => ({ path: '/api/plans/starter/features/waf' }),
    removePlan: () => ({ path: '/api/plans/starter' }),
  },
  answered: {
    features: 'anywhere',
    plans: 'anywhere',
    createPlan: 'anywhere',
    plan: 'anywhere',
    updatePlan: 'anywhere',
    removePlan: 'anywhere',
    switchOn: 'anywhere',
    switchOff: 'anywhere',
  },
  bounded: {
    features: PRODUCT,
    createPlan: PRODUCT,
    plan: PRODUCT,
    updatePlan: PRODUCT,
    switchOn: PRODUCT,
    switchOff: PRODUCT,
  },
  unbounded: { 'createPlan.features': PRODUCT },
  pages: {
    '/console/features': [],
    '/console/plans': ['Compare plans', 'Edit basic', 'Remove basic'],
  },
};
export default rows;
