import { resolve } from 'node:path';
import { archivedList } from '../../kernel/areas/archives/archived-list.ts';
import { problemFinding } from '../../kernel/contract/points/finding.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { SiteCaches } from '../../kernel/areas/sites/site-cache.ts';
import { Type } from '../../kernel/schema.ts';
import { AccountServices } from './account-services.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { ServiceCounts } from './metrics.ts';
import { movePart } from './moving/mover.ts';
import privileged from './privileged.ts';
import { readRecipes } from './recipes.ts';
import { ServiceKeeper } from './reconciling.ts';
import { BROKERS, STORAGE, NewServiceState, Service, ServiceLog, ServiceParams, ServicesConfig } from './schema.ts';
import { listServices } from './store.ts';

const FEATURES = ['redis', 'memcached', 'elasticsearch', 'opensearch', 'varnish'] as const;
const OF_SERVICES = { at: 'home', feature: [...FEATURES] } as const;
const ERRORS = ['service_not_found', 'service_failed'] as const;

export default definePlugin({
  name: 'services',
  description: 'Programs such as Redis that an account switches on for itself.',
  features: [...FEATURES],
  errors: fail,
  events,
  config: ServicesConfig,
  routes: {
    list: {
      ...OF_SERVICES,
      method: 'GET',
      path: '/api/services',
      summary: 'List the services that the account may switch on, with their sockets and figures',
      description: 'A service listens on its socket only, which is in a folder that nobody but the account enters.',
      reply: Type.Array(Service),
    },
    switch: {
      ...OF_SERVICES,
      method: 'PUT',
      path: '/api/services/:service',
      summary: 'Switch a service on or off',
      description:
        'Answers once it runs, or has ended; one that starts slowly may not answer yet. What it stored is gone when it is off.',
      params: ServiceParams,
      body: NewServiceState,
      reply: Service,
      errors: ERRORS,
    },
    flush: {
      ...OF_SERVICES,
      method: 'POST',
      path: '/api/services/:service/flush',
      summary: 'Remove all that a service stores',
      description: 'It goes on running, and its connections stay.',
      params: ServiceParams,
      reply: Service,
      errors: [...ERRORS, 'service_off'],
    },
    restart: {
      ...OF_SERVICES,
      method: 'POST',
      path: '/api/services/:service/restart',
      summary: 'Restart a service',
      description: 'Its connections end, and what it stored is gone unless it `keeps` that.',
      params: ServiceParams,
      reply: Service,
      errors: [...ERRORS, 'service_off'],
    },
    log: {
      ...OF_SERVICES,
      method: 'GET',
      path: '/api/services/:service/log',
      summary: 'Get the last lines that a service printed',
      description:
        'They tell why one does not start, and are gone when it is switched off, or when the server begins anew.',
      params: ServiceParams,
      reply: ServiceLog,
      errors: ERRORS,
    },
  },
  async setup(given) {
    const { node } = given;
    const folder = (given: string, brokers: string, name: string) =>
      given || (node.config.broker.socket === '' ? resolve(node.config.data, name) : brokers);
    const config = {
      ...given.config,
      run_folder: folder(given.config.run_folder, BROKERS, 'services'),
      storage_folder: folder(given.config.storage_folder, STORAGE, 'services-stored'),
    };
    const host = { ...given, config };
    const recipes = readRecipes(config.recipes_folder);
    const verbs = node.privileged(privileged, config);
    const services = new AccountServices(host, recipes, verbs);
    const counts = new ServiceCounts(recipes.keys());
    const keeper = new ServiceKeeper(host, services, counts);
    if (node.isServing) await node.onLeader(() => node.afterSetup(() => keeper.start()));
    const service: SiteCaches = { cacheOf: (account) => services.cacheOf(account) };
    return {
      service,
      handlers: {
        list: ({ account }) => services.list(account),
        switch: ({ account, params: { service }, body: { is_on: isOn }, ip }) =>
          services.switch({ account, service, ip }, isOn),
        flush: ({ account, params: { service }, ip }) => services.flush({ account, service, ip }),
        log: async ({ account, params: { service } }) => ({ lines: await services.log(account, service) }),
        restart: ({ account, params: { service }, ip }) => services.restart({ account, service, ip }),
      },
      provides: {
        move: () => movePart(host, recipes, verbs),
        archive: () =>
          archivedList<string>({
            item: Type.String({ maxLength: 64 }),
            list: async ({ id }) => [...(await listServices(given.store, id))],
            put: (account, service) => services.switch({ account, service, ip: '' }, true),
            called: (service) => `the service ${service}`,
          }),
        purge: async ({ id }) => {
          const removed = await verbs.end(id);
          await verbs.discard({ accountId: id, service: null });
          return [{ what: 'services', removed }];
        },
        metrics: () => counts.metrics(),
        doctor: () => findings(recipes, verbs, node.config.ids.first),
        health: () => problemFinding('services', keeper.problem),
      },
    };
  },
});
