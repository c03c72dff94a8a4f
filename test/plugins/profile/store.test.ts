import * as assert from '../../support/assert.ts';
import { putFavorites, readFavorites, removeFavorite } from '../../../plugins/profile/store.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('profile: store');

test('a favorite is removed from its own account only', async () => {
  const server = await TestServer.start();
  const { store } = server.hostkeep.core;
  const [{ id: bea }, { id: bob }] = [await server.account('bea'), await server.account('bob')];
  await store.write(async (tx) => {
    for (const id of [bea, bob]) await putFavorites(tx, id, [{ link: '/x', title: 'x' }]);
    await removeFavorite(tx, bea, '/x');
    assert.equal([await readFavorites(tx, bea), await readFavorites(tx, bob)], [[], [{ link: '/x', title: 'x' }]]);
  });
});
