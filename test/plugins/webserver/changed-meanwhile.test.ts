import * as assert from '../../support/assert.ts';
import { createLog } from '../../../kernel/log.ts';
import type { SiteRule } from '../../../kernel/contract/points/web-server-part.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Site } from '../../../plugins/webserver/vhosts/template.ts';
import { Vhosts } from '../../../plugins/webserver/vhosts/vhosts.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('sites that change while they are written');
const FILES_ROOT = '/srv/ann';
const ann = { id: 1, username: 'ann', filesRoot: FILES_ROOT, suspended: false } as Account;
const domain = { id: 7, name: 'shop.example', docroot: '/var/www/html/shop', account: ann } as DomainPart;
const rendered = ({ isSuspended, names }: Site) => JSON.stringify({ isSuspended, names });

/** Virtual hosts whose web server does `meanwhile` before it has written the next file. */
function serving() {
  const state = {
    account: ann,
    rule: { names: [] } as SiteRule,
    written: [] as string[],
    isRemoved: false,
    isBusy: false,
  };
  const host = { state, meanwhile: (): void => undefined };
  const batcher = {
    isBusy: () => {
      const { isBusy } = state;
      if (isBusy) state.written.push('as it was before');
      state.isBusy = false;
      return isBusy;
    },
    change: async ({ site }: { site?: Site }) => {
      host.meanwhile();
      host.meanwhile = () => undefined;
      state.written.push(site === undefined ? 'none' : rendered(site));
    },
  };
  const all = { id: domain.id, accountId: ann.id, name: domain.name, components: ['shop'] };
  const parts = {
    folder: {
      names: async () => [],
      read: async () => state.written.at(-1),
      changedAt: async () => state.written.length || undefined,
    },
    batcher,
    prepare: async () => null,
    render: (site: Site) => ({ content: rendered(site), users: new Map() }),
    domains: {
      list: async () => (state.isRemoved ? [] : [all]),
      all: async function* () {
        yield all;
      },
    },
    accounts: {
      byId: async () => state.account,
      pagesOfHere: async function* () {
        yield [state.account];
      },
    },
    virtualRoot: '/var/www/html',
    rules: async () => new Map([[domain.id, state.rule]]),
    shared: async () => new Map(),
    log: createLog('silent'),
  };
  return { ...host, vhosts: new Vhosts(parts as never), during: (work: () => void) => (host.meanwhile = work), state };
}
const suspended = { ...ann, suspended: true };

test('an account that is suspended during a change of its site is not shown', async () => {
  const { vhosts, during, state } = serving();
  during(() => (state.account = suspended));
  await vhosts.change(domain);
  assert.equal(state.written, ['{"isSuspended":false,"names":[]}', '{"isSuspended":true,"names":[]}']);
  await vhosts.change(domain);
  assert.is(state.written.length, 2, 'what is there is not written again');
});

for (const way of ['change', 'reconcile'] as const)
  test(`what another process stores meanwhile is served: ${way}`, async () => {
    const { vhosts, during, state } = serving();
    during(() => (state.rule = { names: ['alias.example'] }));
    await vhosts[way](domain);
    assert.is(state.written.at(-1), '{"isSuspended":false,"names":["alias.example"]}');
    assert.is(state.written.length, 2);
    await vhosts[way](domain);
    assert.is(state.written.length, 2);
  });

test('a site that is being written is compared once it is there', async () => {
  const { vhosts, state } = serving();
  state.isBusy = true;
  await vhosts.reconcile();
  assert.equal(state.written, ['as it was before', '{"isSuspended":false,"names":[]}']);
});

test('no site of a removed domain is written, or stays when it was removed meanwhile', async () => {
  const { vhosts, during, state } = serving();
  during(() => (state.isRemoved = true));
  await vhosts.change(domain);
  assert.equal(state.written, ['{"isSuspended":false,"names":[]}', 'none']);
  const removed = serving();
  removed.state.isRemoved = true;
  await removed.vhosts.change(domain);
  assert.equal(removed.state.written, []);
});
