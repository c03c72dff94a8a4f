/** Which node of a fleet delivers webhooks: never two at once. */
import * as assert from 'uvu/assert';
import { createLog } from '../../../kernel/log.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { FleetLead } from '../../../plugins/webhooks/delivery/fleet-lead.ts';
import webhooks from '../../../plugins/webhooks/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { Gate } from '../../support/probe.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('webhooks: lead');
let server: TestServer;
const leads: FleetLead[] = [];
test.before(async () => void (server = await TestServer.start({ plugins: [webhooks] })));
test.after(async () => {
  for (const lead of leads) await lead.close();
  await server.close();
});

/** A node that takes part, and what cuts it from the store. Its first question to the store waits for `gate`. */
function participant(node: string, gate?: Gate) {
  let isCut = false;
  const { store } = server.hostkeep.core;
  const cuttable = {
    get: async (...args: Parameters<Store['get']>) => {
      await gate?.opened;
      if (isCut) throw new Error('cut');
      return store.get(...args);
    },
    write: ((work) => (isCut ? Promise.reject(new Error('cut')) : store.write(work))) as Store['write'],
  };
  const began: boolean[] = [];
  const onLead = () => void began.push(leads.filter(({ isLeading }) => isLeading).length === 1);
  const lead = new FleetLead({ store: cuttable as Store, node, log: createLog('silent'), onLead });
  leads.push(lead);
  return { lead, began, cut: (now: boolean) => (isCut = now) };
}

test('one leads; another takes over from one that is cut from the store, or that ends, and not before', async () => {
  const first = participant('one');
  await until('the first leads', () => first.lead.isLeading);
  const [{ store }, gate] = [server.hostkeep.core, new Gate()];
  const second = participant('two', gate);
  const beats = async () => (await store.get<{ beat: number }>('select beat from webhook_lead'))?.beat ?? 0;
  const before = await beats();
  await until('four more beats of the first', async () => (await beats()) >= before + 4);
  gate.open(); // the answer is of now, although the second asked seconds ago
  first.cut(true);
  await until('the second leads', () => second.lead.isLeading);
  assert.is(first.lead.isLeading, false);
  first.cut(false);
  await second.lead.close();
  assert.is(second.lead.isLeading, false);
  await until('the first leads again', () => first.lead.isLeading);
  assert.ok([...first.began, ...second.began].every(Boolean), 'none began while another led');
});
