import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { Call, RouteSpec, RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { fail } from './errors.ts';
import { GATES, missing, PREFIX, DELEGATED, translated } from './table.ts';
import { answer } from './translation.ts';

const AUTOLOGIN = 'POST /api/users/{username}/autologin';
/** Billing modules ask for a login link with CONNECT, which no proxy passes on. */
const connect: RouteSpec = {
  ...DELEGATED,
  ...GATES.admin,
  method: 'CONNECT',
  path: ['/api/users/:username', `${PREFIX}/api/users/:username`],
  summary: `405: ${AUTOLOGIN}`,
};

export default definePlugin({
  name: 'openpanel',
  description: 'The paths and forms of OpenPanel 2, for scripts and billing modules that were written for it.',
  features: [],
  errors: fail,
  routes: {
    ...Object.fromEntries([...translated, ...missing].map(({ name, spec }) => [name, spec])),
    connect,
  } as RouteSpecs,
  setup: ({ node }) => ({
    handlers: {
      ...Object.fromEntries(translated.map(({ name, row }) => [name, (call: Call) => answer(node.calls, row, call)])),
      ...Object.fromEntries(missing.map(({ name, feature }) => [name, () => refuse(feature)])),
      connect: () => {
        throw fail.post_required(`use ${AUTOLOGIN}`, { headers: { Allow: 'POST' } });
      },
    },
  }),
});

function refuse(feature: string): never {
  throw fail.not_offered(`this server does not offer ${feature} in OpenPanel's form`, {
    members: { feature },
  });
}
