import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { publicKeyFile, readPublicKey, readPublicKeyLine, Unusable } from '../../../plugins/sftp/public-key.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('public keys of SSH');

const field = (value: string | Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value as string)]);
};
const blob = (...fields: (string | Buffer)[]) => Buffer.concat(fields.map(field)).toString('base64');
const ED25519 = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '';
const ed25519 = blob('ssh-ed25519', Buffer.from(ED25519, 'base64url'));

function rsa(bits: number, exponent?: Buffer): string {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
  const number = (text: string) => Buffer.concat([Buffer.from([0]), Buffer.from(text, 'base64url')]);
  return blob('ssh-rsa', exponent ?? Buffer.from(e, 'base64url'), number(n));
}
function refused(line: string, reason: RegExp): void {
  try {
    readPublicKeyLine(line);
  } catch (error) {
    assert.instance(error, Unusable, line);
    return assert.match((error as Error).message, reason);
  }
  assert.unreachable(`taken: ${line}`);
}

// threat forged-state: a public key is one line of known words, and no line of another file
test('what is no public key of one line is refused, with the reason', () => {
  refused('', /begins with/);
  refused('-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA', /private key/);
  refused(`ssh-ed25519 ${ed25519} ann\nssh-ed25519 ${ed25519}`, /one line/);
  refused(`ssh-ed25519 ${ed25519} ann\u202ekoob`, /one line/);
  refused(`command="/bin/sh" ssh-ed25519 ${ed25519}`, /without options/);
  refused(`from="*",no-pty ssh-ed25519 ${ed25519}`, /without options/);
  refused(`ssh-dss ${blob('ssh-dss', 'x')}`, /begins with/);
  refused(`ssh-rsa ${ed25519}`, /not ssh-rsa, but ssh-ed25519/);
  refused('ssh-ed25519 ----', /not whole/);
  refused(`ssh-ed25519 ${ed25519.slice(0, -8)}`, /not whole/);
  refused(`ssh-ed25519 ${ed25519}=`, /not whole/);
  refused(`ssh-ed25519 ${blob('ssh-ed25519', Buffer.alloc(31))}`, /not valid/);
  refused(`ssh-ed25519 ${blob('ssh-ed25519', Buffer.alloc(32), 'more')}`, /not whole/);
  refused(`ssh-ed25519 ${Buffer.from([255, 255, 255, 255]).toString('base64')}`, /not whole/);
  refused(`ssh-ed25519 ${ed25519} ${'x'.repeat(201)}`, /comment/);
  refused(`ssh-rsa ${rsa(1024)}`, /2048 to 8192 bits, and this one 1024/);
  refused(`ssh-rsa ${rsa(2048, Buffer.from([1]))}`, /numbers/);
  refused(`ssh-rsa ${rsa(2048, Buffer.from([0, 3]))}`, /numbers/);
  refused(
    `ecdsa-sha2-nistp256 ${blob('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]))}`,
    /not valid/,
  );
  refused(`ecdsa-sha2-nistp256 ${blob('ecdsa-sha2-nistp256', 'nistp384', Buffer.alloc(97, 4))}`, /curve/);
});

test('keys that ssh-keygen makes are taken, and written as it reads them', () => {
  const folder = temporaryFolder();
  for (const [type, bits] of [
    ['ed25519', '256'],
    ['rsa', '2048'],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
  ] as const) {
    const file = join(folder, type + bits);
    execFileSync('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-C', 'ann at home', '-f', file]);
    const line = readFileSync(`${file}.pub`, 'utf8');
    const key = readPublicKeyLine(line);
    const [, fingerprint] = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' }).split(' ');
    assert.equal([key.fingerprint, key.comment, key.type], [fingerprint, 'ann at home', line.split(' ')[0]]);
    assert.is(readPublicKey(key.blob).fingerprint, fingerprint);
    const form = publicKeyFile(key.blob);
    assert.ok(form.split('\n').every((each) => each.length <= 72));
    writeFileSync(`${file}.form`, form);
    const back = execFileSync('ssh-keygen', ['-i', '-f', `${file}.form`], { encoding: 'utf8' });
    assert.is(back.split(' ')[1]?.trim(), key.blob);
  }
});
