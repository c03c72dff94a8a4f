import { resolve } from 'node:path';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import { AccountServices } from './account-services.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { movePart } from './mover.ts';
import privileged from './privileged.ts';
import { readRecipes } from './recipes.ts';
import { ServiceKeeper } from './reconciling.ts';
import { BROKERS, NewServiceState, Service, ServiceParams, ServicesConfig } from './schema.ts';

const FEATURES = ['redis', 'memcached'] as const;
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
      description: 'Answers once it runs, or has ended. What it stored is gone when it ends.',
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
      description: 'What it stored is gone, and its connections end.',
      params: ServiceParams,
      reply: Service,
      errors: [...ERRORS, 'service_off'],
    },
  },
  async setup(given) {
    const { node } = given;
    const otherwise = node.config.broker.socket === '' ? resolve(node.config.data, 'services') : BROKERS;
    const config = { ...given.config, run_folder: given.config.run_folder || otherwise };
    const host = { ...given, config };
    const recipes = readRecipes();
    const verbs = node.privileged(privileged, config);
    const services = new AccountServices(host, recipes, verbs);
    const keeper = new ServiceKeeper(host, services);
    if (node.isServing) await node.onLeader(() => keeper.start());
    return {
      handlers: {
        list: ({ account }) => services.list(account),
        switch: ({ account, params: { service }, body: { is_on: isOn }, ip }) =>
          services.switch({ account, service, ip }, isOn),
        flush: ({ account, params: { service }, ip }) => services.flush({ account, service, ip }),
        restart: ({ account, params: { service }, ip }) => services.restart({ account, service, ip }),
      },
      provides: {
        move: () => movePart(host, recipes, verbs),
        purge: async ({ id }) => [{ what: 'services', removed: await verbs.end(id) }],
        doctor: () => findings(recipes, node.config.ids.first),
        health: () =>
          keeper.problem === undefined
            ? []
            : [{ name: 'services', ok: false, detail: keeper.problem, remedy: 'see the log for the reason' }],
      },
    };
  },
});
