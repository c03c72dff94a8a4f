import * as assert from '../../../support/assert.ts';
import { archivedPart, putBack, refusal } from '../../../support/carried.ts';
import { testSuite } from '../../../support/suite.ts';
import { openHouse } from '../house.ts';
import { hasServices } from '../programs.ts';

const test = testSuite('services in archives');

if (hasServices())
  test('services that are on come along, within the plan', async () => {
    const { server, customer } = await openHouse();
    const ann = await customer('ann');
    await customer('bob', 'developer');
    assert.is((await ann.change('redis', true)).status, 200);
    const saved = await archivedPart(server, 'ann', 'services');
    assert.equal(saved, ['redis']);
    assert.match(await refusal(server, 'bob', 'services', [{ name: 'redis' }]), /services.0 must be string/);
    const { accounts } = server.hostkeep.core;
    await accounts.setFeature('bob', 'redis', false);
    const { missing } = await putBack(server, 'bob', 'services', ['redis', '../redis']);
    assert.is(missing.length, 2);
    await accounts.setFeature('bob', 'redis', true);
    assert.equal(await putBack(server, 'bob', 'services', saved), { missing: [], next: [] });
    assert.equal(await archivedPart(server, 'bob', 'services'), saved);
  });
