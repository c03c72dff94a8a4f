import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { archivedPart, atDomain, putBack, putBackLive, refusal } from '../../../support/carried.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { inHouse, type Customer } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains');
const test = testSuite('PHP in archives');
const nothing = async () => ({ port: 0, config: {}, remove: async () => undefined });

if (hasPhp())
  test('versions and options come along, within the plan, and what is hostile is refused', () =>
    inHouse(nothing, async ({ server, customer }) => {
      const [version = ''] = await installedVersions();
      await server.hostkeep.core.plans.create('few', { limits: { php_memory_limit_mib: 64 } }, [
        ...['domains', 'php', 'php_options', 'php_ini'],
      ]);
      await server.hostkeep.core.plans.create('plain', {}, ['domains', 'php_options']);
      const [ann, bob, cleo] = [await customer('ann'), await customer('bob', 'few'), await customer('cleo', 'plain')];
      await ann.set('options', { memory_mib: 200, timezone: 'Europe/Paris' });
      await ann.set('ini', { content: '; mine\nmax_input_vars = 3000\n' });
      assert.is((await ann.set('version', { version })).status, 200);
      const [kept] = atDomain(await archivedPart<{ options: object }[]>(server, 'ann', 'php'), 'ann', 'bob');
      for (const [wrong, reason] of [
        [{ version: '../8.2' }, /version must match/],
        [{ options: { ...kept?.options, memory_mib: 1e9 } }, /memory_mib must be/],
        [{ ini: 7 }, /ini must be string/],
      ] as const)
        assert.match(await refusal(server, 'bob', 'php', [{ ...kept, ...wrong }]), reason);
      for (const [wrong, reason] of [
        [{ ini: 'extension = evil.so' }, /PHP of bob.example: line 1: /],
        [{ options: { ...kept?.options, timezone: 'Nowhere' } }, /no such time zone/],
      ] as const)
        assert.match((await putBack(server, 'bob', 'php', [{ ...kept, ...wrong }])).missing.join(), reason);
      const old = await putBack(server, 'bob', 'php', [{ ...kept, version: '5.2' }]);
      assert.equal(old.next, ['have a version of PHP chosen for bob.example: 5.2 is not offered']);

      assert.equal(await putBack(server, 'bob', 'php', [kept]), { missing: [], next: [] });
      const listed = async ({ token }: Customer) =>
        (await server.ask('/api/php', { token })).body['sites'] as { options: object }[];
      const fresh = async (of: Customer, name: string) =>
        listed({ ...of, token: await server.token(await server.hostkeep.core.accounts.get(name)) });
      const [before] = atDomain(await listed(ann), 'ann', 'bob');
      assert.equal(await fresh(bob, 'bob'), [{ ...before, options: { ...before?.options, memory_mib: 64 } }]);
      await server.hostkeep.core.accounts.update('bob', { plan: 'developer' });
      assert.equal(await fresh(bob, 'bob'), [before]);
      assert.match(JSON.stringify(await archivedPart(server, 'bob', 'php')), /; mine\\nmax_input_vars = 3000/);

      const live = await putBackLive(server, 'bob', 'php', [{ ...kept, version: '5.2' }]);
      assert.equal(live.next, ['have a version of PHP chosen for bob.example: 5.2 is not offered']);
      assert.equal(await fresh(bob, 'bob'), [before], 'a site in use keeps its version');

      const told = await putBack(server, 'cleo', 'php', atDomain([kept], 'bob', 'cleo'));
      assert.equal(told.next, ['see which version and options of PHP cleo.example has']);
      const plain = (await archivedPart<object[]>(server, 'cleo', 'php'))[0] as Record<string, unknown>;
      assert.equal([plain['version'], plain['ini']], ['', '']);
      assert.ok(cleo.token);
    }));
