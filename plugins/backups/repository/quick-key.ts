import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import type { Repository } from '../../../kernel/kit/restic/service-restic.ts';

/** A file of keys, as far as it is read. */
interface KeyFile extends Costs {
  readonly salt: string;
  readonly data: string;
}
/** Of scrypt. */
interface Costs {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const stretch = promisify<string, Buffer, number, Costs & { readonly maxmem: number }, Buffer>(scrypt);
/** A MiB of memory, and some milliseconds. */
const QUICK = { N: 1024, r: 8, p: 1 };
const MOST_MEMORY_BYTES = 256 * 2 ** 20;
const IV_BYTES = 16;
const TAG_BYTES = 16;

/**
 * Has a repository open at once. restic stretches a password, as people choose them, for a third of a second and with 32 MiB at each
 * start, and has no option for it; that of an account is random, and gains nothing by it. So the file of keys is written anew, by
 * restic's "Repository Format", sections "Keys, Encryption and MAC". Throws for what restic did not write.
 */
export async function makeKeyQuick({ folder: repository, key: password }: Repository): Promise<void> {
  const folder = join(repository, 'keys');
  const [name = ''] = await readdir(folder);
  const file = JSON.parse(await readFile(join(folder, name), 'utf8')) as KeyFile;
  const [salt, data] = [file.salt, file.data].map((each) => Buffer.from(each, 'base64')) as [Buffer, Buffer];
  const keys = decrypt(data, await passwordKeys(password, salt, file));
  const fresh = randomBytes(64);
  const sealed = encrypt(keys, await passwordKeys(password, fresh, QUICK));
  const texts = { salt: fresh.toString('base64'), data: sealed.toString('base64') };
  const content = JSON.stringify({ ...file, ...QUICK, ...texts });
  const written = join(folder, createHash('sha256').update(content).digest('hex'));
  await writeFile(written, content, { mode: 0o400, flag: 'wx', flush: true });
  await rm(join(folder, name));
}

/** Those that encrypt and authenticate. */
interface Keys {
  readonly cipher: Buffer;
  readonly block: Buffer;
  readonly tag: Buffer;
}

async function passwordKeys(password: string, salt: Buffer, { N, r, p }: Costs): Promise<Keys> {
  const all = await stretch(password, salt, 64, { N, r, p, maxmem: MOST_MEMORY_BYTES });
  return { cipher: all.subarray(0, 32), block: all.subarray(32, 48), tag: all.subarray(48) };
}

function encrypt(content: Buffer, keys: Keys): Buffer {
  const iv = randomBytes(IV_BYTES);
  const encrypted = createCipheriv('aes-256-ctr', keys.cipher, iv).update(content);
  return Buffer.concat([iv, encrypted, authenticate(encrypted, iv, keys)]);
}

function decrypt(content: Buffer, keys: Keys): Buffer {
  const iv = content.subarray(0, IV_BYTES);
  const encrypted = content.subarray(IV_BYTES, -TAG_BYTES);
  if (!timingSafeEqual(authenticate(encrypted, iv, keys), content.subarray(-TAG_BYTES)))
    throw new Error('the keys of the repository do not open with its password');
  return createDecipheriv('aes-256-ctr', keys.cipher, iv).update(encrypted);
}

/** Returns the code by Poly1305-AES. */
function authenticate(encrypted: Buffer, iv: Buffer, { block, tag }: Keys): Uint8Array {
  const pad = createCipheriv('aes-128-ecb', block, null).setAutoPadding(false).update(iv);
  return poly1305(encrypted, Buffer.concat([tag, pad]));
}
