/** Which node of a fleet delivers webhooks: never two at once. */
import * as assert from '../../support/assert.ts';
import { createLog } from '../../../kernel/log.ts';
import { Leases } from '../../../kernel/store/lease.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { FleetLead } from '../../../plugins/webhooks/delivery/fleet-lead.ts';
import webhooks from '../../../plugins/webhooks/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
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

/** A node that takes part, and what cuts it from the store. */
function participant(here: string) {
  let isCut = false;
  const { store } = server.hostkeep.core;
  const write = ((work) => (isCut ? Promise.reject(new Error('cut')) : store.write(work))) as Store['write'];
  const log = createLog('silent');
  const leases = new Leases({ store: { nowMs: store.nowMs, write } as Store, here, log });
  const began: boolean[] = [];
  const onLead = () => void began.push(leads.filter(({ isLeading }) => isLeading).length === 1);
  const lead = new FleetLead({ leases, log, onLead });
  leads.push(lead);
  return { lead, began, cut: (now: boolean) => (isCut = now) };
}

test('one process leads; another takes over when it is cut off or ends', async () => {
  const first = participant('one');
  await until('the first leads', () => first.lead.isLeading);
  const second = participant('two');
  const end = performance.now() + 7000;
  await until('the first has led for longer than its lease', () => performance.now() > end);
  assert.ok(first.lead.isLeading);
  first.cut(true);
  await until('the second leads', () => second.lead.isLeading);
  assert.is(first.lead.isLeading, false);
  first.cut(false);
  await second.lead.close();
  assert.is(second.lead.isLeading, false);
  await until('the first leads again', () => first.lead.isLeading);
  assert.is(first.began.length, 2);
  assert.ok([...first.began, ...second.began].every(Boolean), 'none began while another led');
});
