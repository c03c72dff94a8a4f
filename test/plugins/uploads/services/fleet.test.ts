/** Tests uploads that a node of a fleet passes on to the home of the account. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepUpload } from '../../../../plugins/uploads/page/passing.ts';
import * as assert from '../../../support/assert.ts';
import { TestFleet } from '../../../support/fleet.ts';
import { needs } from '../../../support/needs.ts';
import { onlyPlugins } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { sendByTus } from '../../../support/tus-upload.ts';
import { until } from '../../../support/until.ts';
import { BreakingProxy } from '../../../support/breaking-proxy.ts';

await needs('fleet', 'login');
const test = testSuite('uploads: fleet');
const MIB = 1 << 20;
const CONTENT = Buffer.from(Array.from({ length: 24 * MIB + 3 }, (_, i) => (i * 13) % 249));
const OPTIONS = { config: onlyPlugins('fleet', 'login', 'uploads') };

test('an upload by another node goes on after broken connections and a dead home', async () => {
  const { fleet, one, two } = await TestFleet.pair('uploads');
  const entry = await fleet.start(one, {}, OPTIONS);
  let home = await fleet.start(two, { anna: 'user' }, OPTIONS);
  await fleet.areUp(one);
  const token = await entry.login('anna');
  const root = join(two.data, 'files/anna');
  mkdirSync(root, { recursive: true });
  const answers: string[] = [];
  let restart: Promise<unknown> | undefined;
  const restarted = async () => {
    await home.end('SIGKILL');
    await until('the client asks for the upload in vain', () => answers.includes('HEAD 503'));
    home = await fleet.start(two, {}, OPTIONS);
  };
  const cuts = [700 * 1024, 3 * MIB, 1, 5 * MIB + 7];
  const proxy = await BreakingProxy.start(
    () => entry.url(),
    cuts,
    () => (restart = restarted()),
  );
  await sendByTus(CONTENT, token, {
    endpoint: `${proxy.url}/api/uploads`,
    metadata: { path: 'film.bin' },
    retryDelays: Array.from({ length: 600 }, () => 100),
    onAfterResponse: (request, response) => {
      answers.push(`${request.getMethod()} ${response.getStatus()}`);
      keepUpload(request, response);
    },
  });
  await restart;
  assert.is(proxy.broken, cuts.length);
  assert.ok(readFileSync(join(root, 'film.bin')).equals(CONTENT));
  assert.equal(readdirSync(join(root, '.hostkeep/uploads')), [], answers.join());
});
