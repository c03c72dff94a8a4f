import * as assert from '../../support/assert.ts';
import domains from '../../../plugins/domains/index.ts';
import { archivedPart, putBack, putBackLive, refusal } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domains in archives');

// threat fail-open: a domain of an archive is served once all of its rules are there, or the account does not come
test('domains are served once their account is open', async () => {
  const webServer = new NotedWebServer();
  const plugins = [domains, webServer.plugin];
  const [old, fresh] = [await TestServer.start({ plugins }), await TestServer.start({ plugins })];
  const { token } = await old.user('ann');
  await fresh.user('ann');
  const post = (path: string, body: object) => old.ask(path, { method: 'POST', token, body });
  assert.is((await post('/api/domains/new', { domain_url: 'ann.example' })).status, 201);
  assert.is((await post('/api/aliases', { domain_url: 'ann.example', alias: 'also.example' })).status, 201);
  const saved = await archivedPart<object[]>(old, 'ann', 'domains');
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], id: 7 }]), /id is not known here/);
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], docroot: '../bob' }]), /must not contain/);
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], name: 'no name' }]), /domain/);

  const told = await putBack(fresh, 'ann', 'domains', saved);
  assert.equal(told, { missing: [], next: [] });
  assert.equal(webServer.served('ann.example')?.names, ['www.ann.example', 'also.example']);
  assert.equal(await archivedPart(fresh, 'ann', 'domains'), saved);
  webServer.refusesNext = true;
  assert.match(await refusal(fresh, 'ann', 'domains', []), /the server refuses/);
});

// threat fail-open: a domain that comes back into an account in use is seen once other plugins have put back what they keep
test('an account in use gets back what it can of its domains', async () => {
  const webServer = new NotedWebServer();
  const server = await TestServer.start({ plugins: [domains, webServer.plugin] });
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const add = (who: typeof ann, domain_url: string) => who.asks('POST /api/domains/new', { domain_url }, 201);
  const remove = (domain_url: string) => ann.asks('POST /api/domains/delete', { domain_url }, 200);
  for (const name of ['gone.example', 'stays.example', 'taken.example', 'shut.example']) await add(ann, name);
  await ann.rows(
    ['POST /api/aliases', { domain_url: 'stays.example', alias: 'lost.example' }, 201],
    ['POST /api/aliases', { domain_url: 'stays.example', alias: 'alias.example' }, 201],
    ['PUT /api/domains/shut.example/suspended', { suspended: true }, 200],
  );
  const saved = await archivedPart<{ name: string }[]>(server, 'ann', 'domains');
  for (const name of ['gone.example', 'taken.example']) await remove(name);
  await ann.rows(
    ['DELETE /api/aliases/lost.example', 200],
    ['DELETE /api/aliases/alias.example', 200],
    ['POST /api/aliases', { domain_url: 'stays.example', alias: 'added.example' }, 201],
    ['PUT /api/domains/stays.example/docroot', { docroot: 'elsewhere' }, 200],
    ['PUT /api/domains/stays.example/shown-as', { shown_as: 'Stays.example' }, 200],
    ['PUT /api/domains/stays.example/suspended', { suspended: true }, 200],
    ['PUT /api/domains/shut.example/suspended', { suspended: false }, 200],
  );
  for (const name of ['taken.example', 'lost.example']) await add(bob, name);
  const { missing } = await putBackLive(server, 'ann', 'domains', saved);
  assert.equal(missing, [
    'the alias lost.example of stays.example: lost.example cannot be added: this name, a parent domain or a subdomain is in use',
    'taken.example: taken.example cannot be added: this name, a parent domain or a subdomain is in use',
  ]);
  const after = await archivedPart<{ name: string; aliases: string[] }[]>(server, 'ann', 'domains');
  const [gone, , stays] = saved as [object, object, object];
  assert.equal(
    after.find(({ name }) => name === 'stays.example'),
    { ...stays, aliases: ['added.example', 'alias.example'] },
  );
  assert.equal(
    after.find(({ name }) => name === 'gone.example'),
    gone,
  );
  const shut = (name: string) => webServer.served(name)?.isSuspended === true;
  assert.equal(['gone.example', 'stays.example', 'shut.example'].map(shut), [false, false, true]);
  const types = (await server.hostkeep.core.events.after(0, 1000)).map(({ type }) => type as string);
  const atLast = ['domain.unsuspended', 'domain.suspended', 'domain.unsuspended'];
  assert.equal(types.slice(-3), atLast, 'what came back was closed until then');
});
