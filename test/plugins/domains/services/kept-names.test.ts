import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep } from '../../../support/command.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('temporary-links');
const test = testSuite('domains: names kept for other plugins');

test('the command adds no name that another plugin keeps for itself', async () => {
  const server = await TestServer.start();
  await server.user('ann');
  const file = join(server.data, 'preview.json');
  writeFileSync(file, JSON.stringify({ 'temporary-links': { preview_domain: 'preview.example.net' } }));
  const args = ['--config', file, 'domain', 'add', 'ann', 'shop.preview.example.net', '--json'];
  const { code, stderr } = await hostkeep(server.data, args);
  assert.equal([code, (JSON.parse(stderr) as { error: string }).error], [1, 'invalid_domain']);
});
