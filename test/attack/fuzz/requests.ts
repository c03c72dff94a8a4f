import { WHOLE_REQUESTS, type Part } from '../part.ts';
import { DurabilityLog } from './durability-log.ts';
import { FuzzRun } from './fuzz-run.ts';
import { OPEN_THROTTLE, type Vitals } from '../target/target-server.ts';
import { byRoute } from '../../support/plugin-rows.ts';
import { sendJson } from '../isolation/tenant-fixture.ts';

/** The run is divided into stretches; beside each, the reserved account makes this many turns of writes. */
const STRETCHES = 20;
const FIFTH = STRETCHES / 5;
const TURNS = 25;
const FEW_TURNS = 2;
const SETTLE_MS = 10_000;
const SAMPLE_MS = 250;
/**
 * Allowed growth of the lowest resident memory from the second to the last fifth of the run: about a kilobyte for each
 * request between them. Accounts, domains, indexes and filling caches take some of it; a leaked body takes more.
 */
const MORE_BYTES = 64 * 2 ** 20;
/** Allowed growth of open descriptors: connections and folders that are open in passing. */
const MORE_DESCRIPTORS = 8;
/** Allowed heap growth after garbage collection; `MORE_BYTES` times the share is added to it. */
const MORE_HEAP_BYTES = 6 * 2 ** 20;
/** In a smaller share, caches that still fill up hide a leak outside the heap. */
const LEAKING_SHARE = 0.2;
/** What the server makes once for all, such as its compiled schemas, exists after as many requests. */
const WARM_REQUESTS = 2000;
const BRIEF_SETTLE_MS = 2000;
/** Succeeds only for a domain that random requests may have removed, or added to an account that may not see its sites. */
const NEEDS_SITE = 'user websites.databaseInfo';
/** Succeed only for files that random requests may have moved away. */
const NEEDS_FILES = ['files.read', 'files.setMode', 'backups.read', 'databases.size', 'thumbnails.thumbnail'];
/** Extra rounds for operations that had no success by chance. */
const SEEKING_ROUNDS = 60;
const SEEKING_REQUESTS = 100;
/** Only every so many extra rounds begin work that nothing misses: while it lasts, other operations are refused as busy. */
const BEGINNING_ROUNDS = 8;

/** Valid and invalid requests for every operation, generated from the API description. */
export const requests: Part = {
  title: 'requests generated from the API description',
  async run(share, seed) {
    const fuzz = await FuzzRun.start(OPEN_THROTTLE);
    try {
      return await attack(fuzz, share, seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    } finally {
      await fuzz.target.stop();
    }
  },
};

/** Memory and descriptors of the server early and late in the run. */
interface Growth {
  readonly lowest: readonly number[];
  readonly before: Vitals;
  readonly after: Vitals;
  readonly heapBefore: number;
  readonly heapAfter: number;
}

async function attack(fuzz: FuzzRun, share: number, seed: number): Promise<string[]> {
  const { target, coverage, writer } = fuzz;
  const durability = new DurabilityLog();
  const started = performance.now();
  const isLong = share >= LEAKING_SHARE;
  const settleMs = isLong ? SETTLE_MS : BRIEF_SETTLE_MS;
  const lowest: number[] = [];
  let [before, heapBefore] = [target.vitals, 0];
  // the table of countries, which the server reads with the first list of addresses, is no leak
  const logins = await sendJson(target, 'user', writer.token, 'GET', '/api/account/login-history');
  if (logins.status !== 200) throw new Error(`the list of logins is ${logins.status}`);
  // nor is what each operation loads when it first succeeds
  await fuzz.sendValid(2 * fuzz.operations.length, seed - 1000, fuzz.operations);
  const warm = Math.max(
    FIFTH,
    Math.min(STRETCHES / 2, Math.ceil((WARM_REQUESTS / (WHOLE_REQUESTS * share)) * STRETCHES)),
  );
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    if (stretch === warm) [before, heapBefore] = [await target.settledVitals(settleMs), await target.heapBytes()];
    const work = Promise.all([
      fuzz.send(Math.ceil((WHOLE_REQUESTS * share) / STRETCHES), seed + stretch * 1000),
      durability.writeAll(target.clients.user, writer.token, isLong ? TURNS : FEW_TURNS),
    ]);
    lowest.push(await target.lowestMemory(SAMPLE_MS, work));
  }
  const seconds = (performance.now() - started) / 1000;
  const [after, heapAfter] = [await target.settledVitals(settleMs), await target.heapBytes()];
  const growth = assertNoGrowth({ lowest, before, after, heapBefore, heapAfter }, share);
  await assertEverySucceeded(fuzz, seed);
  await target.crash();
  const lost = await durability.differences(target.clients.user, writer.token);
  if (lost.length > 0) throw new Error(`after kill -9: ${lost.join('; ')}`);
  return [
    ...coverage.lines(),
    `${seconds.toFixed(0)} s, ${(coverage.requests / seconds).toFixed(0)} requests a second`,
    ...growth,
    `${durability.written} acknowledged writes, 0 lost after kill -9`,
  ];
}

function assertNoGrowth({ lowest, before, after, heapBefore, heapAfter }: Growth, share: number): string[] {
  const [early, late] = [Math.min(...lowest.slice(FIFTH, 2 * FIFTH)), Math.min(...lowest.slice(-FIFTH))];
  if (share >= LEAKING_SHARE && late > early + MORE_BYTES)
    throw new Error(`memory grew from ${mib(early)} to ${mib(late)} MiB`);
  if (heapAfter > heapBefore + MORE_HEAP_BYTES + share * MORE_BYTES)
    throw new Error(`the heap grew from ${mib(heapBefore)} to ${mib(heapAfter)} MiB`);
  if (after.descriptors > before.descriptors + MORE_DESCRIPTORS)
    throw new Error(`descriptors grew from ${before.descriptors} to ${after.descriptors}`);
  return [
    `lowest memory: ${mib(early)} MiB in the second fifth of the run, ${mib(late)} MiB in the last`,
    `lowest memory in each twentieth: ${lowest.map(mib).join(' ')} MiB`,
    `heap after garbage collection: ${mib(heapBefore)} MiB once warm, ${mib(heapAfter)} MiB at the end`,
    `descriptors when idle: ${before.descriptors} once warm, ${after.descriptors} at the end`,
  ];
}

const A_DOMAIN = ['user domains.add', 'user domains.list'];
/** Operations elsewhere without which an operation cannot succeed. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['suspend', 'setDocroot', 'setSpelling', 'addAlias', 'removeAlias'].map((name) => [
      `user domains.${name}`,
      A_DOMAIN,
    ]),
  ),
  'admin domains.hold': ['admin domains.search', ...A_DOMAIN],
  'user certificates.upload': A_DOMAIN,
  'user certificates.remove': A_DOMAIN,
  'user certificates.change': A_DOMAIN,
  'user php.setOptions': A_DOMAIN,
  'user php.ini': A_DOMAIN,
  'user php.setIni': A_DOMAIN,
  'user temporary-links.make': A_DOMAIN,
  'user phpmyadmin.open': A_DOMAIN,
  'user temporary-links.remove': A_DOMAIN,
  ...Object.fromEntries(
    ['setUser', 'removeUser', 'setBlocked', 'setErrorPages'].map((name) => [`user site-access.${name}`, A_DOMAIN]),
  ),
  'user webserver-conf.set': A_DOMAIN,
  'user waf.set': A_DOMAIN,
  'user waf.requests': A_DOMAIN,
  'user databases.size': ['user databases.sizes'],
  'user malware.quarantine': ['user malware.scan', 'user malware.scans'],
  'user redirects.add': A_DOMAIN,
  ...Object.fromEntries(['show', 'write', 'remove'].map((name) => [`user uploads.${name}`, ['user uploads.create']])),
  'user redirects.remove': A_DOMAIN,
  'user login-links.useLoginLink': ['admin login-links.loginLink', 'admin login.reauthenticate'],
  'admin login.endTokenOf': ['admin login.makeToken', 'admin login.tokens'],
};

/**
 * Rejects if an operation never succeeded. First sends valid requests for those operations, and for the ones above and
 * below them in the path hierarchy.
 */
async function assertEverySucceeded(fuzz: FuzzRun, seed: number): Promise<void> {
  const { coverage, operations } = fuzz;
  const unwalked = await byRoute((rows) => rows.unwalked);
  const unsuccessful = (): string[] => coverage.unsuccessful.filter((id) => !unwalked.has(id.replace(/^\w+ /, '')));
  for (let round = 0; unsuccessful().length > 0 && round < SEEKING_ROUNDS; round += 1) {
    const missed = operations.filter(({ id }) => unsuccessful().includes(id));
    const mayBegin = round % BEGINNING_ROUNDS === BEGINNING_ROUNDS - 1;
    const near = operations.filter(
      (operation) =>
        missed.includes(operation) ||
        missed.some(({ id }) => NEEDS[id]?.includes(operation.id)) ||
        (operation.method !== 'DELETE' && // it takes away what the others need
          operation.path !== '/' &&
          (mayBegin || !operation.replies.has(202)) &&
          missed.some(
            ({ address, path }) =>
              address === operation.address && (path.startsWith(operation.path) || operation.path.startsWith(path)),
          )),
    );
    if (coverage.unsuccessful.includes(NEEDS_SITE)) await fuzz.restoreSite();
    if (NEEDS_FILES.some((name) => coverage.unsuccessful.includes(`user ${name}`))) await fuzz.restoreFiles();
    await fuzz.sendValid(SEEKING_REQUESTS, seed + (STRETCHES + round) * 1000, near);
  }
  const missing = unsuccessful();
  if (missing.length > 0)
    throw new Error(`operations that never succeeded: ${missing.join(', ')}\n${coverage.lines().join('\n')}`);
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
