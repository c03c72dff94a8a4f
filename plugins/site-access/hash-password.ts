import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';

/** The web server computes it for each request, and serves nobody else meanwhile: some milliseconds. */
const COST = '06';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SALT_LENGTH = 22;
/** The bcrypt of a password. */
export const HASHED = /^\$2b\$06\$[./A-Za-z0-9]{53}$/;
const TIMEOUT_MS = 5000;
/** Perl is on each Debian, and passes on what the C library's crypt(3) makes of a password, as the web server does. */
const SCRIPT = 'binmode STDIN; local $/; print crypt(<STDIN>, $ARGV[0])';

/** Resolves with the bcrypt of a password, which no command line holds. */
export async function hashPassword(password: string): Promise<string> {
  const salt = Array.from({ length: SALT_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  const { code, stdout } = await runProgram('perl', ['-e', SCRIPT, `$2b$${COST}$${salt}`], {
    timeoutMs: TIMEOUT_MS,
    input: Readable.from([Buffer.from(password)]),
    isOffline: true,
  });
  if (code !== 0 || !HASHED.test(stdout)) throw new Error('the C library of this machine makes no bcrypt');
  return stdout;
}
