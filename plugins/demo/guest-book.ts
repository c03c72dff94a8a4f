/** The demo's sample of an application in PHP, which must be looked at where it is served. */
import { existsSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { get } from 'node:https';
import { dirname, join } from 'node:path';
import type { DemoNode } from '../../kernel/contract/command.ts';
import type { DemoReport } from '../../kernel/contract/points/demo.ts';
import { findWebServer } from '../../kernel/contract/points/web-server-part.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

/** A domain of the sample content, which has this folder. */
const SITE = 'harbour-cafe.example';
const FOLDER = 'guest-book';
const SOURCE = join(projectDir, 'plugins/demo/guest-book');
const ANSWER_MS = 20_000;
const IS_ROOT = process.geteuid?.() === 0;

/** Puts the guest book into a site of an account, if the account has that site. */
export async function addGuestBook({ filesRoot }: Account): Promise<void> {
  if (existsSync(join(filesRoot, SITE))) await cp(SOURCE, join(filesRoot, SITE, FOLDER), { recursive: true });
}

/** Asks for the guest book over HTTPS, and resolves with where it is, or why it is not there. */
export async function reportGuestBook(node: DemoNode, { filesRoot }: Account): Promise<DemoReport> {
  const runsPhp = node
    .plugins()
    .some(({ name, state }) => name === 'php' && state !== 'unavailable' && state !== 'off');
  const { tlsPort } = (await findWebServer(node)) ?? {};
  if (!runsPhp || tlsPort === undefined || !existsSync(join(filesRoot, SITE, FOLDER))) return {}; // what lacks is told already
  const closed = closedAbove(filesRoot);
  if (closed !== undefined)
    return {
      leftOut: [
        `php: scripts run as other users, who cannot pass ${closed} (set HOSTKEEP_DATA to a folder below which all may pass)`,
      ],
    };
  const page = `https://${SITE}/${FOLDER}/`;
  const answer = await statusAt(tlsPort).catch(errorMessage);
  if (answer !== 200) return { leftOut: [`php: ${page} does not answer as it should: ${answer}`] };
  const whose = IS_ROOT ? '' : ' (scripts of all accounts run as you, who are not root)';
  return { uses: [`php: a guest book${whose}, see curl -sk --connect-to ::127.0.0.1:${tlsPort} ${page}`] };
}

/** Returns the nearest folder above an account's files that others cannot pass, if scripts run as others. */
function closedAbove(filesRoot: string): string | undefined {
  if (!IS_ROOT) return undefined;
  for (let folder = dirname(filesRoot); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Nobody vouches for the certificate yet. */
function statusAt(port: number): Promise<number> {
  const at = { host: '127.0.0.1', port, path: `/${FOLDER}/`, servername: SITE, headers: { host: SITE } };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    get({ ...at, agent: false, rejectUnauthorized: false, signal }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    }).on('error', reject);
  });
}
