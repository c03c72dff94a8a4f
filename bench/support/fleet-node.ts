/**
 * A node of a fleet with one route of its own, started with a data folder and the URL of the store. Sends `{ port }`, then
 * does what it is told: `{ make }` an account, and `{ toggle, on }` its feature; each answer says when that was done.
 */
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import { TestServer } from '../../test/support/hostkeep.ts';
import { needs } from '../../test/support/needs.ts';

const FEATURE = 'dns';
const [data = '', url = ''] = process.argv.slice(2);
const [fleet] = await needs('fleet');
const probe = definePlugin({
  name: 'probe',
  features: [FEATURE],
  routes: {
    read: {
      method: 'GET',
      path: '/read',
      at: 'home',
      summary: 'What its home knows',
      reply: Type.Object({ name: Type.String() }),
    },
  },
  setup: () => ({ handlers: { read: ({ account }) => ({ name: account.username }) } }),
});
const server = await TestServer.start({ data, config: { store: { url } }, plugins: [probe, fleet] });
process.send?.({ port: server.hostkeep.ports.user });
process.on('message', ({ make, toggle, on }: { make?: string; toggle?: string; on?: boolean }) => {
  const work =
    make === undefined
      ? server.hostkeep.core.accounts.setFeature(toggle ?? '', FEATURE, on).then(() => ({ at: Date.now() }))
      : server.user(make).then(({ token }) => ({ token }));
  void work.then((answer) => process.send?.(answer));
});
process.on('disconnect', () => void server.close().then(() => process.exit()));
