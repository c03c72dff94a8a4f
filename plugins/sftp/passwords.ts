import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';

/** yescrypt, with the cost that Debian gives to passwords of its own users. */
const METHOD = '$y$j9T$';
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Of six bits each. */
const SALT_CHARACTERS = 20;
/** A password that crypt(3) has hashed. */
export const HASHED = /^\$y\$j9T\$[./A-Za-z0-9]{20}\$[./A-Za-z0-9]{43}$/;
/** Perl, which every Debian has, calls crypt(3) of the system, and reads the password where no list of processes shows it. */
const SCRIPT = 'print crypt(scalar <STDIN>, $ARGV[0])';
const HASH_MS = 10_000;

export const isHashed = (text: unknown): text is string => typeof text === 'string' && HASHED.test(text);

/** Resolves with a password as ProFTPD compares it: hashed by crypt(3). */
export async function hashPassword(password: string): Promise<string> {
  const salt = Array.from({ length: SALT_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const input = Readable.from([password]);
  const { stdout, stderr } = await runProgram('perl', ['-e', SCRIPT, METHOD + salt], { input, timeoutMs: HASH_MS });
  if (!isHashed(stdout)) throw new Error(`crypt(3) of this system makes no yescrypt: ${stderr}`);
  return stdout;
}
