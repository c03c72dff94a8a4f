import * as assert from '../../support/assert.ts';
import { sealSettings, unsealSettings } from '../../../plugins/settings-backups/settings-file.ts';
import { codeOf } from '../../support/code-of.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('sealed settings in backups');
const settings = {
  version: 1,
  made_at: '2026-11-25T03:17:00.000Z',
  parts: { domains: [{ key: 'geheim ä' }] },
} as const;

async function* pieces(bytes: Uint8Array) {
  for (let from = 0; from < bytes.length; from += 7) yield bytes.subarray(from, from + 7);
}
const content = (text: string, sizeBytes = text.length) => Object.assign(pieces(Buffer.from(text)), { sizeBytes });

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

// threat hostile-files: settings that a script of the account made up are refused
test('only what this installation sealed for the account is taken', async () => {
  const [here, elsewhere] = [await TestServer.start({ plugins: [] }), await TestServer.start({ plugins: [] })];
  const { keys } = here.hostkeep.core;
  const [ann, bob] = [await here.account('ann'), await here.account('bob')];
  const sealed = await textOf(sealSettings({ keys }, ann, settings));
  assert.not.ok(Buffer.from(sealed, 'base64url').includes('geheim'));
  const refused = async (text: string, account = ann, by: Pick<typeof here.hostkeep.core, 'keys'> = { keys }) =>
    codeOf(unsealSettings(by, account, content(text)));
  assert.is(await refused(sealed, bob), 'settings_refused');
  assert.is(await refused(sealed, ann, elsewhere.hostkeep.core), 'settings_refused');
  for (const forged of [
    '',
    'x',
    JSON.stringify(settings),
    sealed.slice(4),
    `${sealed.slice(0, -2)}AA`,
    `A${sealed.slice(1)}`,
  ])
    assert.is(await refused(forged), 'settings_refused', forged.slice(0, 20));
  const other = keys.seal(JSON.stringify(settings), `backups ${ann.id}`);
  assert.is(await refused(other), 'settings_refused', 'what is sealed for something else');
  const later = { ...settings, version: 2 } as unknown as typeof settings;
  const newer = await textOf(sealSettings({ keys }, ann, later));
  assert.is(await refused(newer), 'settings_refused', 'a form of later');
  const large = unsealSettings({ keys }, ann, content(sealed, 2 ** 27));
  assert.is(await codeOf(large), 'settings_refused', 'more than is read into memory');
  assert.equal(await unsealSettings({ keys }, ann, content(sealed)), settings);
});
