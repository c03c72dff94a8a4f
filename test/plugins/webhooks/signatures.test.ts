/** What signs deliveries, and the verifiers that the plugin's README shows. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { decodeKey, signatureHeaders } from '../../../plugins/webhooks/delivery/signatures.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { reportSkipped, testSuite } from '../../support/suite.ts';

type Headers = Readonly<Record<string, string>>;
type Verify = (secret: string, headers: Headers, body: string) => boolean;

const PHP = '/usr/bin/php';
const body = '{"text":"added the domain bücher.example"}';
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const now = (): number => Math.floor(Date.now() / 1000);

const readme = readFileSync(join(projectDir, 'plugins/webhooks/README.md'), 'utf8');
const folder = temporaryFolder();
for (const [, text = '', name = ''] of readme.matchAll(/```\w+\n((?:<\?php )?\/\/ (\S+)\n[^]*?)```/g))
  writeFileSync(join(folder, name), text);
const { isGenuine } = (await import(pathToFileURL(join(folder, 'verify.mjs')).href)) as { isGenuine: Verify };

const test = testSuite('webhooks, signatures');

function verifyInPhp(secret: string, headers: Headers, text: string): boolean {
  const server = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  );
  const program = `require '${join(folder, 'verify.php')}'; echo json_encode(is_genuine(...json_decode(stream_get_contents(STDIN), true)));`;
  const input = JSON.stringify([secret, server, text]);
  return JSON.parse(
    execFileSync(PHP, ['-n', '-d', 'display_errors=stderr', '-r', program], { input, encoding: 'utf8' }),
  ) as boolean;
}

// asvs 11.4.1, 11.4.3: HMAC-SHA256 over id, time and body
test('a message is signed as Standard Webhooks specify', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body: '{"test": 2432232314}' };
  assert.equal(signatureHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a secret is base64 of 24 to 64 bytes after its prefix', () => {
  for (const text of [
    '',
    'short',
    'A'.repeat(31),
    'A'.repeat(88),
    `${'A'.repeat(31)}-`,
    `${'A'.repeat(32)}\n`,
    'A'.repeat(33),
  ])
    assert.is(decodeKey(`whsec_${text}`), undefined, JSON.stringify(text));
  assert.is(decodeKey(`whsec_${'A'.repeat(32)}`)?.length, 24);
  const bytes = randomBytes(32);
  assert.equal(decodeKey(`whsec_${bytes.toString('base64')}`), bytes);
  assert.equal(decodeKey(`whsec_${bytes.toString('base64').replace('=', '')}`), bytes);
  assert.is(decodeKey('any other text'), undefined);
});

function checkVerifier(verify: Verify): void {
  const [current, previous] = [newSecret(), newSecret()];
  const headers = signatureHeaders([current, previous], { id: '7', seconds: now(), body });
  const signature = headers['webhook-signature'] ?? '';
  const late = signatureHeaders([current], { id: '7', seconds: now() - 3600, body });
  for (const [why, secret, given, text] of [
    ['another secret', newSecret(), headers, body],
    ['another body', current, headers, `${body} `],
    ['another id', current, { ...headers, 'webhook-id': '8' }, body],
    ['another time', current, { ...headers, 'webhook-timestamp': String(now() + 1) }, body],
    ['no headers', current, {}, body],
    ['no signature', current, { ...headers, 'webhook-signature': '' }, body],
    ['another version', current, { ...headers, 'webhook-signature': signature.replaceAll('v1,', 'v2,') }, body],
    ['an hour old', current, late, body],
    ['no time', current, { ...late, 'webhook-timestamp': 'now' }, body],
  ] as const)
    assert.is(verify(secret, given, text), false, why);
  assert.is(verify(current, headers, body), true);
  assert.is(verify(previous, headers, body), true, 'the receiver does not know the new secret yet');
}

test('the verifier in Node.js accepts what is genuine, and nothing else', () => checkVerifier(isGenuine));

if (existsSync(PHP))
  test('the verifier in PHP accepts what is genuine, and nothing else', () => checkVerifier(verifyInPhp));
else reportSkipped('the verifier in PHP; install it with apt-get install -y --no-install-recommends php-cli');
