/** Secrets in texts that programs take or print. */

/** Names of variables and options that programs take secrets from. */
const NAME = /pass|pwd|secret|token|key|auth|cred|salt|private|dsn/i;
const USER_INFO = /:\/\/[^/\s]*:[^/\s]*@/;
const HIDDEN = '…';
/** Shorter ones stand in any text. */
const SHORTEST = 4;

export const isSecretName = (name: string): boolean => NAME.test(name);

/** Whether a text has a URL with a password. */
export const hasUserInfo = (text: string): boolean => USER_INFO.test(text);

const PASSWORD = /(:\/\/[^/\s:@]*:)[^/\s@]*@/g;
/** The name of a value up to its sign, and then the value. */
const NAMED =
  /((?:pass(?:word|wd|phrase)?|pwd|requirepass|masterauth|secret|token|api[_-]?key)["']?[ \t]*[=:][ \t]*)(?:"[^"\n]*"|'[^'\n]*'|\S+)/gi;

/** Hides these secrets, passwords of URLs, and what a line names a password, secret or token. */
export function hideSecrets(text: string, known: readonly string[]): string {
  return known
    .filter(({ length }) => length >= SHORTEST)
    .reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text)
    .replaceAll(PASSWORD, `$1${HIDDEN}@`)
    .replaceAll(NAMED, `$1${HIDDEN}`);
}
