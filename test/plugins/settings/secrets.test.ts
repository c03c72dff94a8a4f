import * as assert from '../../support/assert.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

await needs('webhooks', 'login');
const test = testSuite('settings of all plugins');

test('the settings in effect are shown with what set each, and without secrets', async () => {
  const secret = `whsec_${'A'.repeat(32)}`;
  const own = await TestServer.start({
    config: { webhooks: { endpoints: [{ url: 'https://hooks.example/', secret }] } },
  });
  const root = await own.admin();
  const { body } = await own.ask('/api/settings', { token: root.token, address: 'admin' });
  const settings = body['settings'] as { setting: string; value: unknown; origin: string }[];
  const of = (wanted: string) => settings.find(({ setting }) => setting === wanted);
  assert.is(of('data')?.value, own.data);
  assert.is(of('login.issuer')?.value, 'Hostkeep');
  assert.not.match(JSON.stringify(body), new RegExp(secret));
});
